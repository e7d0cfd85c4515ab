/** The database server crashes during a model call, and loses what it had not written to its WAL yet. */
import { expect, test } from 'vitest';
import type { EngageDone } from '../../../src/engage/verdict/engage-end.ts';
import type { LlmClient } from '../../../src/llm/client.ts';
import { createWorkCompleter } from '../../../src/store/work/claimed/work-completer.ts';
import { startTestFocus, testTool } from '../../support/focus.ts';
import { engage, type LoopParts } from '../../support/run-loop.ts';
import { crashableDatabase, crashServer, keepCommitsInMemory } from '../../support/server-crash.ts';

const target = crashableDatabase();

/** Runs two turns; the server crashes during the second one, and what it lost is returned, too. */
async function runWithCrash(more: Partial<LoopParts> = {}) {
  let runs = 0;
  const act = testTool('act', async () => ({ content: `done ${++runs}` }));
  const focus = await startTestFocus(target.database, {
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
  const left: string[] = [];
  const client: LlmClient = {
    async complete(request, options) {
      if (request.turn === 1) await keepCommitsInMemory(target.database);
      if (request.turn === 2) {
        await crashServer(target.database);
        left.push(...(await recorded(focus.key.focusId)));
      }
      return model.client.complete(request, options);
    },
  };
  const end = await engage({ ...means, ...more, model: { ...model, client } });
  expect(end).toMatchObject({ kind: 'done', finalText: 'all done' });
  // The test proves nothing unless the crash really lost the rest.
  expect(left).toEqual(['turn 1', 'call of turn 1 started: null']);
  expect(runs).toBe(1);
  return { key: focus.key, end: end as EngageDone };
}

const WHOLE = ['turn 1', 'turn 2', 'call of turn 1 done: done 1'];

test('an answer whose turn was lost in a server crash is kept, with the results before it; nothing runs twice', async () => {
  const { key } = await runWithCrash();
  expect(await recorded(key.focusId)).toEqual(WHOLE);
});

test('so is an answer that was left to the end: the end is not written without it', async () => {
  const { key, end } = await runWithCrash({ directory: { isMade: () => false } });
  const { turn, answer, record } = end.lastAnswer!;
  const work = { id: key.workItemId, leaseToken: key.leaseToken, outcome: {}, summary: null };
  const { complete } = createWorkCompleter(target.database);
  const last = { focusId: key.focusId, turn, answer };
  expect(await complete({ ...work, last })).toBe('unrecorded');
  expect(await record()).toBe(null);
  expect(await recorded(key.focusId)).toEqual(WHOLE);
  expect(await complete({ ...work, last })).toBe('unrecorded'); // it is recorded already
});

test('an answer whose calls only read is kept, with its calls and the next turn, when the turn was lost in a server crash', async () => {
  let runs = 0;
  const read = testTool('read', async () => ({ content: `read ${++runs}` }), true);
  const focus = await startTestFocus(target.database, {
    tools: [read],
    script: `
      [[answer]]
      turn = 1
      call = [{ tool = "read" }]
      [[answer]]
      turn = 2
      text = "all read"
      when = { contains = "read 1" }`,
  });
  const { model, ...means } = focus.means();
  const found: string[][] = [];
  const client: LlmClient = {
    async complete(request, options) {
      if (request.turn === 2) found.push(await recorded(focus.key.focusId));
      await crashServer(target.database);
      found.push(await recorded(focus.key.focusId));
      if (request.turn === 1) await keepCommitsInMemory(target.database);
      return model.client.complete(request, options);
    },
  };
  await keepCommitsInMemory(target.database);
  const run = engage({ ...means, model: { ...model, client } });
  expect(await run).toMatchObject({ kind: 'done', finalText: 'all read' });

  // The first crash lost the turn. The record of its answer waits for the disk, so the second lost nothing.
  const whole = ['turn 1', 'turn 2', 'call of turn 1 done: read 1'];
  expect(found).toEqual([[], whole, whole]);
  expect(runs).toBe(1);
});

async function recorded(focusId: string): Promise<string[]> {
  const rows = await target.database.query<{ line: string }>(
    `select 'turn ' || turn as line from animus.turns where focus_id = $1 union all
     select format('call of turn %s %s: %s', turn, state, coalesce(output, 'null')) from animus.tool_calls where focus_id = $1`,
    [focusId],
  );
  return rows.map((row) => row.line);
}
