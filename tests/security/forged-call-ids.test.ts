/** Ids that a provider or a model chooses name nothing that a person decides about. */

import { expect, test } from 'vitest';
import { callIds } from '../../src/llm/wire/call-ids.ts';
import { readAsked } from '../../src/operations/asked.ts';
import { askPerson } from '../../src/store/transcript/approvals.ts';
import { answerQuestion, approve, deny } from '../../src/store/work/decide.ts';
import { write } from '../store/skills/written-skills.ts';
import { ASKS, decisionsAbout } from '../store/work/asked-item.ts';
import { askOf } from '../support/ask-of.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../support/begun-focus.ts';
import { testDatabase } from '../support/database.ts';

const pg = testDatabase();
const db = () => pg.database;

async function asksAbout(work: FocusedWork, call: string, turn = 1): Promise<string> {
  await recordCalls(db(), work, turn, [call], 'bash');
  await askPerson(db(), work.key, turn, call, 'approval', ASKS);
  return askOf(db(), work.id, call);
}

const subjects = async (id: string) => (await readAsked(db(), id)).map(({ subject }) => subject);

test('a call with the id skill:NAME, and the proposed skill of that name, are decided each by its own id', async () => {
  const work = await beginFocus(db());
  await write(db(), work, 'shadowed', { mode: 'ask' });
  const call = await asksAbout(work, 'skill:shadowed');
  expect(await approve(db(), work.id, { ask: call })).toBe(call);
  expect(await subjects(work.id)).toEqual(['skill']);
  expect(await db().query(`select state from animus.skill_versions where name = 'shadowed'`)).toEqual([
    { state: 'proposed' },
  ]);
  const [skill] = await readAsked(db(), work.id);
  expect(skill).toMatchObject({ subject: 'skill', call_id: null });
  await expect(answerQuestion(db(), work.id, 'yes', skill!.ask_id)).rejects.toThrow('is a proposed skill');
  await expect(approve(db(), work.id, { ask: skill!.ask_id, hash: 'f'.repeat(64) })).rejects.toThrow(
    'has changed since it was shown',
  );
  expect(await approve(db(), work.id, { ask: skill!.ask_id, hash: skill!.hash })).toBe(skill!.ask_id);
  const bound = await db().query(
    `select action, subject, call_id, target, ask_id from animus.decisions where ask_id = any ($1) order by id`,
    [[call, skill!.ask_id]],
  );
  expect(bound).toEqual([
    { action: 'approve', subject: 'tool_call', call_id: 'skill:shadowed', target: null, ask_id: call },
    { action: 'approve', subject: 'skill', call_id: null, target: 'skill shadowed', ask_id: skill!.ask_id },
  ]);
});

test('a call with the id budget is neither decided nor ended by what happens to a budget', async () => {
  const work = await beginFocus(db());
  const call = await asksAbout(work, 'budget');
  await db().query(`select animus.wake_budgets(100)`);
  expect(await subjects(work.id)).toEqual(['tool_call']);
  await expect(approve(db(), work.id, { ask: call, input: '{"add": 3}' })).resolves.toBe(call);
  const [row] = await db().query(`select final_input from animus.tool_calls where focus_id = $1`, [work.key.focusId]);
  expect(row).toEqual({ final_input: { add: 3 } });
});

test('a call with the id lost acknowledges nothing that was lost', async () => {
  const work = await beginFocus(db());
  await db().query(
    `insert into animus.worktree_results (work_item_id, worktree_id, start, tip, ended, lost, updated_at) values ($1, $1, repeat('0', 40), repeat('0', 40), true, 'two commits', now())`,
    [work.id],
  );
  await recordCalls(db(), work, 1, ['lost'], 'ask_human');
  const question = { subject: 'question', request: { question: 'Which?' }, seconds: null } as const;
  await askPerson(db(), work.key, 1, 'lost', 'human', question);
  await answerQuestion(db(), work.id, 'the left one', await askOf(db(), work.id, 'lost'));
  expect(await subjects(work.id)).toEqual(['lost']);
  const [lost] = await readAsked(db(), work.id);
  await expect(deny(db(), work.id, { ask: lost!.ask_id })).rejects.toThrow('acknowledged by an answer');
  // More is lost than was seen: another request.
  await db().query(`update animus.worktree_results set lost = 'three commits' where work_item_id = $1`, [work.id]);
  await expect(answerQuestion(db(), work.id, 'seen', lost!.ask_id)).rejects.toMatchObject({ code: 'work.not_found' });
  const [more] = await readAsked(db(), work.id);
  await answerQuestion(db(), work.id, 'seen', more!.ask_id);
  expect(await subjects(work.id)).toEqual([]);
});

test('the same id in a later turn is another request: what was seen before decides nothing of it', async () => {
  const work = await beginFocus(db());
  const first = await asksAbout(work, 'call_0');
  await approve(db(), work.id, { ask: first });
  await db().query(
    `update animus.tool_calls set state = 'done', output = 'x', output_bytes = 1, is_error = false where focus_id = $1`,
    [work.key.focusId],
  );
  const second = await asksAbout(work, 'call_0', 2);
  expect(second).not.toBe(first);
  await expect(approve(db(), work.id, { ask: first })).rejects.toMatchObject({ code: 'work.not_found' });
  expect(await subjects(work.id)).toEqual(['tool_call']);
  const audit = () => db().query(`select turn from animus.audit where work_item_id = $1 order by seq`, [work.id]);
  await approve(db(), work.id, { ask: second });
  expect(await audit()).toEqual([{ turn: 1 }, { turn: 2 }]);
});

test('what another item asks is not decided by naming it with this item', async () => {
  const [mine, theirs] = [await beginFocus(db()), await beginFocus(db())];
  const ask = await asksAbout(theirs, 'c1');
  await asksAbout(mine, 'c1');
  await write(db(), theirs, 'not-mine', { mode: 'ask' });
  const [skill] = (await readAsked(db(), theirs.id)).filter(({ subject }) => subject === 'skill');
  for (const name of [ask, skill!.ask_id]) {
    await expect(approve(db(), mine.id, { ask: name })).rejects.toMatchObject({ code: 'work.not_found' });
    await expect(deny(db(), mine.id, { ask: name })).rejects.toMatchObject({ code: 'work.not_found' });
  }
  expect(await decisionsAbout(db(), theirs.id)).toEqual([]);
});

test.each([
  ['empty', ''],
  ['of a megabyte', 'x'.repeat(1 << 20)],
  ['with NUL', 'a\0b'],
  ['with a newline', 'a\nb'],
  ['with a line separator', 'a\u2028b'],
  ['that turns the direction of text', 'a\u202eb'],
  ['that is invisible', '\u200b'],
  ['with half a character', 'a\ud800'],
  ['of a call that code makes', 'c1/1'],
])('an id %s is replaced', (_what, given) => {
  expect(callIds(() => 'made')(given)).toBe('made');
});

test('an id that comes twice in an answer is replaced the second time', () => {
  const name = callIds(() => 'made');
  expect([name('a'), name('a')]).toEqual(['a', 'made']);
});
