// Also on the wires openai, responses.
/** Answers that break the rules of their own wire format are recorded and used all the same: they were paid for. */
import { expect, it } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { text, toolUse } from '../../support/model-server/anthropic.ts';
import { messagesOf } from '../../support/model-server/either-wire.ts';
import { beginFocus } from '../live-focus.ts';

const pg = testDatabase();

const DONE = { content: [text('done')] };

it.each([
  ['the same id', 'call_0', 'call_0'],
  ['no id', '', ''],
  ['ids that are not text for a database', 'a\0', 'a\0'],
  ['ids as long as no index takes', 'x'.repeat(3000), 'x'.repeat(3000)],
])('calls with %s: each result answers its own call, after a crash too', async (_, first, second) => {
  const look = (id: string, name: string) => toolUse(id, 'look', { name, bytes: 20 });
  const answer = { content: [look(first, 'mill'), look(second, 'pond')] };
  const focus = await beginFocus(pg.database, [answer, answer, DONE]);
  await focus.run(1);
  expect(await focus.run()).toMatchObject({ kind: 'done', finalText: 'done' });

  const [, , third] = focus.bodies();
  const blocks = messagesOf(third!).flatMap((message) => message.content);
  const calls = blocks.filter((block) => block['type'] === 'tool_use');
  expect(calls).toHaveLength(4);
  for (const call of calls) {
    const result = blocks.find((block) => block['tool_use_id'] === call['id']);
    expect(JSON.stringify(result)).toContain(`${(call['input'] as { name: string }).name}: `);
  }
  const ids = await pg.database.query(`select call_id from animus.tool_calls where focus_id = $1`, [focus.key.focusId]);
  expect(ids).toHaveLength(4);
});

it.each([
  ['fractions', { input_tokens: 10.5, output_tokens: 2.25 }, { input: 11, output: 3 }],
  ['numbers above every window', { input_tokens: 1e19, output_tokens: 1e19 }, { input: 1e8, output: 1e8 }],
  // No request is empty, and this answer is not.
  ['negative numbers', { input_tokens: -5, output_tokens: -1 }, { estimated: true }],
  ['text', { input_tokens: 7, output_tokens: '12.5' }, { input: 7, output: 13 }],
])('a usage of %s is bounded, kept as it was written, and charged', async (_, usage, counts) => {
  const focus = await beginFocus(pg.database, [
    { content: [toolUse('a', 'look', { name: 'mill', bytes: 20 })], usage },
    DONE,
  ]);
  // The second run reads the first turn from the database.
  await focus.run(1);
  expect(await focus.run()).toMatchObject({ kind: 'done' });
  const [turn] = await pg.database.query<{ usage: Record<string, unknown>; cost: number }>(
    `select usage, cost_usd::float8 as cost from animus.turns where focus_id = $1 and turn = 1`,
    [focus.key.focusId],
  );
  expect(turn!.usage).toMatchObject({ ...counts, reported: expect.anything() });
  expect(Object.values(turn!.usage['reported'] as object)).toContain(String(usage.output_tokens));
  expect(turn!.cost).toBeGreaterThanOrEqual(0);
  const [item] = await pg.database.query<{ input: string; cost: number }>(
    `select input_tokens::text as input, cost_usd::float8 as cost from animus.work_items where id = $1`,
    [focus.key.workItemId],
  );
  expect(item).toEqual({ input: String(Number(turn!.usage['input']) + 100), cost: expect.any(Number) });
});

it('a call of a tool that no provider would take back keeps the conversation going', async () => {
  const calls = ['functions.look', '', 'ä'.repeat(300), 'a\0b'].map((name, n) => toolUse(`t${n}`, name, {}));
  const focus = await beginFocus(pg.database, [{ content: calls }, DONE]);
  await focus.run(1);
  expect(await focus.run()).toMatchObject({ kind: 'done' });
  const blocks = messagesOf(focus.bodies()[1]!).flatMap((message) => message.content);
  const names = blocks.flatMap((block) => (block['type'] === 'tool_use' ? [block['name']] : []));
  expect(names.slice(0, 2)).toEqual(['functions_look', 'unnamed']);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

it('a model name that no index takes does not lose the answer', async () => {
  // Random, because Postgres compresses what repeats.
  const model = Array.from({ length: 20_000 }, () => Math.random().toString(36)[4] ?? 'x').join('');
  const focus = await beginFocus(pg.database, [{ ...DONE, model }]);
  expect(await focus.run()).toMatchObject({ kind: 'done' });
  const [turn] = await pg.database.query(`select model from animus.turns where focus_id = $1`, [focus.key.focusId]);
  expect(turn).toEqual({ model: model.slice(0, 256) });
});
