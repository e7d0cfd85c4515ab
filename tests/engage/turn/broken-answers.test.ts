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
  ['ids that are no text for a database', 'a\0', 'a\0'],
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
