/**
 * Promise: whatever a focus is doing, a cancel ends it at once: the state is cancelled, and nothing of it is alive. The lease and the poll
 * are so long that only the notification can be the cause. docs/steering.md has the times.
 */
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cancelWork } from '../../src/store/work/operate.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startServer } from '../support/model-server/server.ts';
import { sleepingProcesses } from '../support/sleeping-processes.ts';

const pg = testDatabase({ anew: true });
const SSE = { 'content-type': 'text/event-stream' };
const START =
  'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}\n\n' +
  'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n';
const DELTA =
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"slow "}}\n\n';
/** A length of sleep that nobody else uses. */
const NAP = `3600.${process.pid}`;
const STUBBORN = `#!/bin/bash\ntrap '' TERM INT HUP\n(trap '' TERM; setsid sleep ${NAP}) &\nwhile :; do sleep ${NAP}; done\n`;

interface Case {
  readonly engage?: string;
  readonly more?: string;
  readonly script?: string;
  /** Where the provider is, if it is not scripted. */
  readonly model?: string;
  readonly files?: Record<string, string>;
  /** Resolves when the focus is where it shall be cancelled. */
  readonly reached: (id: string) => Promise<unknown>;
}

async function cancelled({ engage = '', more = '', script = '', model, files = {}, reached }: Case): Promise<void> {
  const local =
    model === undefined ? '' : `[providers.local]\nkind = "anthropic"\nbase_url = "${model}"\napi_key_env = "HOME"\n`;
  const daemon = await startTestDaemon({
    databaseUrl: pg.connectionString,
    script: script || '[[answer]]\ntext = "x"\n',
    config: `[daemon]\npoll_seconds = 60\nlease_seconds = 300\n[web]\nallow = ["127.0.0.1"]\n${local}`,
    files: {
      ...files,
      'faculties/smith.toml': `[faculty]\nname = "smith"\nisolation = "directory"\n[faculty.engage]\n${
        engage.includes('mode')
          ? ''
          : `model = "${model === undefined ? 'play/x' : 'local/claude-sonnet-4-5'}"\nsystem_prompt = "p"\ntools = ["bash", "web_fetch", "read_file", "grep"]\nbash_isolation = "none"\n`
      }${engage}\n${more}`,
    },
  });
  const [item] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('smith') returning id`,
  );
  const id = item!.id;
  await reached(id);
  await cancelWork(pg.database, id);
  await eventually('the work is cancelled', async () => {
    const rows = await pg.database.query(`select from animus.work_items where id = $1 and state = 'cancelled'`, [id]);
    return rows.length > 0 ? true : null;
  });
  expect(sleepingProcesses(NAP)).toBe(0);
  await daemon.stop();
}

const sleeping = () => eventually('the command sleeps', () => (sleepingProcesses(NAP) >= 2 ? true : null));
const called = (id: string) =>
  eventually('the call has started', async () => {
    const rows = await pg.database.query(
      `select from animus.turns t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1`,
      [id],
    );
    return rows.length > 0 ? true : null;
  });

describe('a cancel while', () => {
  it('the model sends its answer piece by piece', async () => {
    const server = await startServer(() => ({
      status: 200,
      headers: SSE,
      parts: [START, ...Array<string>(1000).fill(DELTA)],
      pieceBytes: 100,
      everyMs: 50,
    }));
    onTestFinished(() => server.close());
    await cancelled({ model: server.url, reached: () => server.received(1) });
    expect(await (await server.received(1)).ended).toEqual({ cutByClient: true });
  });

  it('the model sends nothing', async () => {
    const server = await startServer(() => ({ status: 200, headers: SSE, parts: [START], finally: 'stall' }));
    onTestFinished(() => server.close());
    await cancelled({ model: server.url, reached: () => server.received(1) });
    expect(await (await server.received(1)).ended).toEqual({ cutByClient: true });
  });

  it('the provider does not even answer the connection', async () => {
    const silent = createServer(() => {});
    const connected = Promise.withResolvers<void>();
    silent.on('connection', (socket) => {
      onTestFinished(() => void socket.destroy());
      connected.resolve();
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as { port: number };
    await cancelled({ model: `http://127.0.0.1:${port}`, reached: () => connected.promise });
  });

  it('a failed request waits to be tried again', async () => {
    const server = await startServer(() => ({
      status: 529,
      headers: { 'retry-after': '20' },
      parts: ['{"type":"error","error":{"type":"overloaded_error","message":"busy"}}'],
    }));
    onTestFinished(() => server.close());
    await cancelled({ model: server.url, reached: async () => (await server.received(1)).ended });
  });

  it('a command ignores SIGTERM and has left its session', async () => {
    await cancelled({
      more: '[faculty.permissions]\nbash = "auto"',
      script: `[[answer]]\ncall = [{ tool = "bash", input = { command = "trap '' TERM; (trap '' TERM; setsid sleep ${NAP}) & sleep ${NAP}; sleep ${NAP}" } }]`,
      reached: sleeping,
    });
  });

  it.each(['orient', 'consolidate'])('a hook of %s ignores SIGTERM', async (phase) => {
    await cancelled({
      more: `[faculty.${phase}]\ncommand = "./hook"`,
      files: { 'faculties/hook': STUBBORN },
      reached: sleeping,
    });
  });

  it('a hook of recover ignores SIGTERM', async () => {
    await cancelled({
      script: '[[answer]]\nstop = "refusal"\ntext = "no"',
      more: '[faculty.recover]\ncommand = "./hook"',
      files: { 'faculties/hook': STUBBORN },
      reached: sleeping,
    });
  });

  it('an external command ignores SIGTERM', async () => {
    await cancelled({
      engage: 'mode = "external"\ncommand = "./hook"',
      files: { 'faculties/hook': STUBBORN },
      reached: sleeping,
    });
  });

  it('a page is fetched from a server that sends nothing', async () => {
    const server = await startServer(() => ({
      status: 200,
      headers: { 'content-type': 'text/html' },
      parts: ['<p>'],
      finally: 'stall',
    }));
    onTestFinished(() => server.close());
    await cancelled({
      script: `[[answer]]\ncall = [{ tool = "web_fetch", input = { url = "${server.url}" } }]`,
      reached: () => server.received(1),
    });
  });

  it('grep searches a file that takes hours', async () => {
    await cancelled({
      more: '[faculty.permissions]\nbash = "auto"',
      script: `[[answer]]\ncall = [{ tool = "bash", input = { command = "truncate -s 1T big" } }]\n[[answer]]\ncall = [{ tool = "grep", input = { pattern = "needle" } }]`,
      reached: (id) =>
        eventually('grep runs', async () => {
          const rows = await pg.database.query(
            `select from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1 and c.name = 'grep' and c.state = 'started'`,
            [id],
          );
          return rows.length > 0 ? true : null;
        }),
    });
  });

  it('another transaction keeps the item locked: as soon as that ends', async () => {
    let release = () => {};
    let locked: Promise<unknown> = Promise.resolve();
    await cancelled({
      script: `[[answer]]\ndelay_ms = 300\ncall = [{ tool = "ledger_append", input = { type = "note", content = "x" } }]\n[[answer]]\ntext = "x"\ndelay_ms = 60000`,
      reached: async (id) => {
        await called(id);
        const held = Promise.withResolvers<void>();
        const gate = new Promise<void>((resolve) => {
          release = resolve;
        });
        locked = pg.database.transaction(async (tx) => {
          await tx.query('select from animus.work_items where id = $1 for no key update', [id]);
          held.resolve();
          await gate;
        });
        await held.promise;
        setTimeout(release, 1000);
      },
    });
    await locked;
  });
});
