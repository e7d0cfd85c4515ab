/** The tool `ask_human`: the focus waits for an answer, and the model gets it. */
import { expect, test } from 'vitest';
import { answerQuestion, deny } from '../../../src/store/work/decide.ts';
import { askHuman } from '../../../src/tools/ask-human.ts';
import { testDatabase } from '../../support/database.ts';
import { askingFocus, dyingDatabase } from './approval-focus.ts';

const pg = testDatabase();

const SCRIPT = `
[[answer]]
turn = 1
call = [{ tool = "ask_human", input = { question = "Which branch?", choices = ["main", "next"] } }]
[[answer]]
turn = 2
text = "done"
`;

const asking = () => askingFocus(pg.database, SCRIPT, { tools: [askHuman], gates: [] });

test('parks with the question in the inbox, and the model gets the answer with who gave it', async () => {
  const { run, park, claim, id, calls } = await asking();
  expect(await run()).toEqual({ kind: 'parked' });
  expect(await park()).toBe('waiting');
  const rows = await pg.database.query(
    `select kind, subject, request, extract(epoch from deadline - asked_at)::int as seconds from animus.inbox where work_item_id = $1`,
    [id],
  );
  const request = { question: 'Which branch?', choices: ['main', 'next'] };
  expect(rows).toEqual([{ kind: 'human', subject: 'question', request, seconds: 86_400 }]);
  await answerQuestion(pg.database, id, 'main,\nplease');
  await claim();
  expect(await run()).toMatchObject({ kind: 'done' });
  const [call] = await calls();
  expect(call).toMatchObject({ state: 'done', isError: false });
  expect(call!.output).toMatch(/^\S+ answered at 20\S+Z:\nmain,\nplease$/);
  // Of the wait.
  const [{ ms } = { ms: -1 }] = await pg.database.query<{ ms: number }>(
    `select t.duration_ms as ms from animus.tool_calls t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1`,
    [id],
  );
  expect(ms).toBeGreaterThan(0);
  expect(ms).toBeLessThan(3_600_000);
});

test('is an error when the person declines, when nobody answers in time, and where nobody can be asked', async () => {
  const declined = await asking();
  await declined.run();
  await deny(pg.database, declined.id, { note: 'read the plan' });
  expect(await declined.run()).toMatchObject({ kind: 'done' });
  expect((await declined.calls())[0]!.output).toMatch(/declined to answer at .*Z\. The reason given: read the plan$/);

  const late = await asking();
  await late.run();
  await pg.database.query(`update animus.waits set deadline = now() - interval '1 s' where work_item_id = $1`, [
    late.id,
  ]);
  await pg.database.query('select animus.resolve_due_waits(10)');
  expect(await late.run()).toMatchObject({ kind: 'done' });
  expect((await late.calls())[0]!.output).toMatch(/^Nobody answered until /);

  const alone = await asking();
  expect(await alone.run({ unattended: true })).toMatchObject({ kind: 'done' });
  expect((await alone.calls())[0]).toMatchObject({ state: 'failed' });
  expect((await alone.calls())[0]!.output).toContain('nobody can be asked');
});

test('a daemon that dies when it has asked does not ask again', async () => {
  const { run, id } = await asking();
  const { dead, overrides } = dyingDatabase(pg.database, 'begin_turn', 'after');
  await expect(run(overrides)).rejects.toBe(dead);
  expect(await run()).toEqual({ kind: 'parked' });
  expect(await run()).toEqual({ kind: 'parked' });
  expect(await pg.database.query('select from animus.waits where work_item_id = $1', [id])).toHaveLength(1);
});
