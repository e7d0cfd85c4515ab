/** A daemon that was frozen past its leases looks at them before it does anything else. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type DaemonProcess, makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';

/** Loaded in a daemon before anything else: a file that is written through a temporary one takes a while, and says so. */
const SLOW_WRITES = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const open = fs.promises.open;
fs.promises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  if (String(path).includes('.animus-')) {
    process.stderr.write('a write is under way\\n');
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
  return handle;
};
syncBuiltinESMExports();
`;
const preload = (code: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` });

describe('a daemon that is frozen past its lease', () => {
  const pg = testDatabase({ anew: true });

  /** The model asks for the file once, with the number of its answer in it. The first answer comes while the daemon is frozen. */
  async function workshop(firstDelayMs: number, tool = 'write_file') {
    let answers = 0;
    const server = await startModelServer((body) => {
      if (messagesOf(body).length > 1) return { content: [text('Written.')] };
      answers += 1;
      const input =
        tool === 'bash'
          ? { command: `sleep 2; echo ${answers} >> runs` }
          : { path: 'note', content: `version ${answers}` };
      return { content: [toolUse('note', tool, input)], ...(answers === 1 && { delayMs: firstDelayMs }) };
    });
    onTestFinished(() => server.close());
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config: '[daemon]\nlease_seconds = 5\npoll_seconds = 0.3\nhttp = "off"\n',
      faculties: {},
    });
    const workspace = join(site.directory, 'work');
    mkdirSync(workspace);
    const faculty = `[faculty]\nname = "clerk"\nworkspace = "${workspace}"\npermissions.bash = "auto"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "You write."\ntools = ["write_file", "bash"]\nbash_isolation = "none"\n`;
    writeFileSync(join(site.directory, 'faculties', 'clerk.toml'), faculty);
    return { server, site, read: (name: string) => readFileSync(join(workspace, name), 'utf8') };
  }

  async function submit(): Promise<string> {
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('clerk', 'write the note') returning id`,
    );
    return row!.id;
  }

  async function completed(id: string) {
    return eventually(
      'the item is completed',
      async () => {
        const [row] = await pg.database.query<{ attempts: number; crashes: number }>(
          `select attempts, crashes from animus.work_items where id = $1 and state = 'completed'`,
          [id],
        );
        return row ?? null;
      },
      60,
    );
  }

  async function leaseIsOver(id: string): Promise<void> {
    await eventually(
      'the lease is over',
      async () => {
        const [row] = await pg.database.query<{ over: boolean }>(
          'select lease_expires_at < animus.now() as over from animus.work_items where id = $1',
          [id],
        );
        return row!.over ? true : null;
      },
      30,
    );
  }

  async function findsOut(daemon: DaemonProcess): Promise<void> {
    await daemon.kill('SIGCONT');
    await eventually('it finds out', () => (daemon.output().includes('the lease is lost') ? true : null), 30);
    await eventually('its focus has ended', () => (daemon.output().includes('focus lost') ? true : null), 30);
  }

  it('while it waits for the model: the answer that waited in its socket is not acted upon', async () => {
    const { server, site, read } = await workshop(1500);
    const frozen = await startDaemon(site);
    const id = await submit();
    await server.received(1);
    await frozen.kill('SIGSTOP');
    await leaseIsOver(id);
    await startDaemon(site);
    await completed(id);
    const asked = server.requests.length;
    // The first answer was lost with its daemon: the other one has asked again, and then with the result of the call.
    expect(asked).toBe(3);
    await findsOut(frozen);
    expect(read('note')).toBe('version 2');
    expect(server.requests).toHaveLength(asked);
  }, 180_000);

  it('in a write: the file that the other daemon wrote stays', async () => {
    const { server, site, read } = await workshop(0);
    const frozen = await startDaemon(site, [], preload(SLOW_WRITES));
    const id = await submit();
    await eventually('it writes', () => (frozen.output().includes('a write is under way') ? true : null), 30);
    await frozen.kill('SIGSTOP');
    await leaseIsOver(id);
    await startDaemon(site);
    await completed(id);
    const before = read('note');
    writeFileSync(join(site.directory, 'work', 'note'), 'by a person, later');
    const asked = server.requests.length;
    await findsOut(frozen);
    expect(before).toMatch(/^version /);
    expect(read('note')).toBe('by a person, later');
    expect(server.requests).toHaveLength(asked);
  }, 180_000);

  it('in a tool: nothing follows its result', async () => {
    const { server, site } = await workshop(0, 'bash');
    const frozen = await startDaemon(site);
    const id = await submit();
    await server.received(1);
    await eventually('the call has begun', async () => {
      const [row] = await pg.database.query(
        `select from animus.tool_calls t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1`,
        [id],
      );
      return row ?? null;
    });
    await frozen.kill('SIGSTOP');
    await leaseIsOver(id);
    await startDaemon(site);
    await completed(id);
    const asked = server.requests.length;
    await findsOut(frozen);
    expect(server.requests).toHaveLength(asked);
  }, 180_000);

  it('and nobody has taken its work: it renews the lease, and the answer that waited is used', async () => {
    const { server, site, read } = await workshop(1500);
    const daemon = await startDaemon(site);
    const id = await submit();
    await server.received(1);
    await daemon.kill('SIGSTOP');
    await leaseIsOver(id);
    await daemon.kill('SIGCONT');
    expect(await completed(id)).toEqual({ attempts: 0, crashes: 0 });
    expect(server.requests).toHaveLength(2);
    expect(read('note')).toBe('version 1');
    expect(daemon.output()).not.toMatch(/lease is lost|stopping the focus/);
  }, 180_000);
});
