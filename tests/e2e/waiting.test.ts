import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/store/sql/database.ts';
import { makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';
import type { ModelServer } from '../support/model-server/server.ts';

const FACULTY = `
[faculty]
name = "sleeper"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You wait."
tools = ["bash"]
`;
const CONFIG = '[daemon]\nlease_seconds = 5\npoll_seconds = 1\nmax_concurrent = 1\n';

describe('a focus that waits for a time', () => {
  const pg = testDatabase({ anew: true });

  it('is parked when its other calls have ended, frees its slot, and continues with all results in call order', async () => {
    // Long enough to be seen: a wait that has passed when the other call ends is answered at once.
    const server = await modelOf(8, 'echo done');
    await startDaemon(siteOf(server, pg.connectionString));
    const id = await insert(pg.database);
    await stateOf(pg.database, id, 'waiting');
    // The daemon has one slot: this item gets it while the first waits.
    const other = await insert(pg.database);
    await eventually('the other one runs or waits too', async () => {
      const [row] = await pg.database.query('select state from animus.work_items where id = $1 and turns > 0', [other]);
      return row ?? null;
    });

    await stateOf(pg.database, id, 'completed');
    await stateOf(pg.database, other, 'completed');
    expect(server.requests.map((request) => request.refused)).toEqual([null, null, null, null]);
    const foci = await pg.database.query('select number, resumes, ended_as from animus.foci where work_item_id = $1', [
      id,
    ]);
    expect(foci).toEqual([{ number: 1, resumes: 1, ended_as: 'completed' }]);
    const results = resultsIn(server.requests.at(-1)!.json!);
    expect(results.map((result) => result.id)).toEqual(['wait', 'run']);
    expect(results[0]!.text).toMatch(/^It is 20.*Z now; the wait is over \(the kettle\)\.$/);
    expect(results[1]!.text).toContain('done');
    const [item] = await pg.database.query('select attempts from animus.work_items where id = $1', [id]);
    expect(item).toEqual({ attempts: 0 });
  }, 180_000);

  it('is woken by another daemon if the one that parked it was killed', async () => {
    const server = await modelOf(8, 'echo done');
    const site = siteOf(server, pg.connectionString);
    const first = await startDaemon(site);
    const id = await insert(pg.database);
    await stateOf(pg.database, id, 'waiting');
    await first.kill('SIGKILL');

    await startDaemon(site);
    await stateOf(pg.database, id, 'completed');
    expect(server.requests).toHaveLength(2);
    expect(resultsIn(server.requests[1]!.json!)[0]!.text).toContain('the wait is over');
    const [item] = await pg.database.query('select attempts from animus.work_items where id = $1', [id]);
    expect(item).toEqual({ attempts: 0 });
  }, 180_000);

  it('killed after the wait was opened and before it was parked, keeps the wait and reports what is in doubt', async () => {
    const server = await modelOf(1, 'sleep 600');
    const site = siteOf(server, pg.connectionString);
    const first = await startDaemon(site);
    const id = await insert(pg.database);
    await eventually('the wait is open', async () => {
      const [row] = await pg.database.query('select from animus.waits where work_item_id = $1', [id]);
      return row ?? null;
    });
    await first.kill('SIGKILL');

    await startDaemon(site);
    await stateOf(pg.database, id, 'completed');
    expect(server.requests).toHaveLength(2);
    const [wait, run] = resultsIn(server.requests[1]!.json!);
    expect(wait!.text).toContain('the wait is over');
    expect(run!.text).toMatch(/^(Error: )?interrupted/); // Chat Completions has no flag for a failed call
    const waits = await pg.database.query('select result from animus.waits where work_item_id = $1', [id]);
    expect(waits).toEqual([{ result: { due: true } }]);
  }, 180_000);
});

describe('on the embedded database', () => {
  it('a timer wakes its focus without notifications', async () => {
    const server = await modelOf(1, 'echo done');
    const site = siteOf(server);
    await startDaemon(site);
    const submitted = await runAnimus(site, ['work', 'submit', 'sleeper', 'wait', '--wait', '--json']);
    expect(submitted).toMatchObject({ exit: 0 });
    expect(server.requests).toHaveLength(2);
  }, 180_000);
});

async function modelOf(seconds: number, command: string): Promise<ModelServer> {
  const server = await startModelServer((body) =>
    JSON.stringify(body['messages']).includes('tool_result')
      ? { content: [text('Waited.')] }
      : {
          content: [
            toolUse('wait', 'wait_until', { seconds, reason: 'the kettle' }),
            toolUse('run', 'bash', { command }),
          ],
        },
  );
  onTestFinished(() => server.close());
  return server;
}

function siteOf(server: ModelServer, databaseUrl?: string): Site {
  return makeSite({
    modelUrl: server.url,
    config: CONFIG,
    faculties: { sleeper: FACULTY },
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
}

async function insert(db: Database): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('sleeper', 'wait') returning id`,
  );
  return row!.id;
}

function stateOf(db: Database, id: string, state: string): Promise<object> {
  return eventually(`the item is ${state}`, async () => {
    const [row] = await db.query('select id from animus.work_items where id = $1 and state = $2', [id, state]);
    return row ?? null;
  });
}

function resultsIn(body: Record<string, unknown>): { readonly id: string; readonly text: string }[] {
  return messagesOf(body).flatMap(({ content }) =>
    content
      .filter((block) => block['type'] === 'tool_result')
      .map((block) => ({ id: String(block['tool_use_id']), text: textOf(block['content']) })),
  );
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : (content as { text: string }[]).map((part) => part.text).join('');
}
