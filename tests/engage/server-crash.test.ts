/** The database server crashes while the model thinks, and takes along what it had not written to its log yet. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engage } from '../../src/engage/loop.ts';
import type { LlmClient } from '../../src/llm/client.ts';
import type { Database } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { eventually } from '../support/eventually.ts';
import { startTestFocus, testTool } from '../support/focus.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';

// One of its own, to be crashed.
let server: PostgresServer;
let db: Database;
beforeAll(async () => {
  server = await startPostgresServer();
  db = openPostgres(server.url);
  await migrate(db);
});
afterAll(async () => {
  await db.close();
  await server.stop();
});

test('an answer whose turn the crash took along is kept, with the results before it; nothing runs twice', async () => {
  let runs = 0;
  const act = testTool('act', async () => ({ content: `done ${++runs}` }));
  const focus = await startTestFocus(db, {
    tools: [act],
    script: `
      [[answer]]
      turn = 1
      call = [{ tool = "act" }]
      [[answer]]
      turn = 2
      text = "all done"
      when = { contains = "done 1" }`,
  });
  const { model, ...means } = focus.means();
  const lost: string[] = [];
  const client: LlmClient = {
    async complete(request, options) {
      if (request.turn === 1) freezeWriter(await writerOf(db));
      if (request.turn === 2) {
        await crash();
        lost.push(...(await recorded(focus.key.focusId)));
      }
      return model.client.complete(request, options);
    },
  };

  expect(await engage({ ...means, model: { ...model, client } })).toMatchObject({
    kind: 'done',
    finalText: 'all done',
  });

  // The test is none unless the crash really took them along.
  expect(lost).toEqual(['turn 1', 'call of turn 1 started: null']);
  expect(await recorded(focus.key.focusId)).toEqual(['turn 1', 'turn 2', 'call of turn 1 done: done 1']);
  expect(runs).toBe(1);
});

/** Commits that do not wait for the disk are written by this process alone. */
async function writerOf(database: Database): Promise<number> {
  const [row] = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'walwriter'`,
  );
  return row!.pid;
}

function freezeWriter(pid: number): void {
  process.kill(pid, 'SIGSTOP');
}

/** A server that loses one of its processes forgets its memory and recovers from its log, as after a crash of its machine. */
async function crash(): Promise<void> {
  const before = await writerOf(db);
  process.kill(before, 'SIGKILL');
  await eventually('the server is back', async () => {
    const pid = await writerOf(db).catch(() => before);
    return pid === before ? null : pid;
  });
}

async function recorded(focusId: string): Promise<string[]> {
  const rows = await db.query<{ line: string }>(
    `select 'turn ' || turn as line from animus.turns where focus_id = $1 union all
     select format('call of turn %s %s: %s', turn, state, coalesce(output, 'null')) from animus.tool_calls where focus_id = $1`,
    [focusId],
  );
  return rows.map((row) => row.line);
}
