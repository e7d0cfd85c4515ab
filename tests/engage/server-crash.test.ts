/** The database server crashes while the model thinks, and takes along what it had not written to its log yet. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engage } from '../../src/engage/loop.ts';
import type { LlmClient } from '../../src/llm/client.ts';
import type { Database } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { startTestFocus, testTool } from '../support/focus.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { crashServer, keepCommitsInMemory } from '../support/server-crash.ts';

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
      if (request.turn === 1) await keepCommitsInMemory(db);
      if (request.turn === 2) {
        await crashServer(db);
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

async function recorded(focusId: string): Promise<string[]> {
  const rows = await db.query<{ line: string }>(
    `select 'turn ' || turn as line from animus.turns where focus_id = $1 union all
     select format('call of turn %s %s: %s', turn, state, coalesce(output, 'null')) from animus.tool_calls where focus_id = $1`,
    [focusId],
  );
  return rows.map((row) => row.line);
}
