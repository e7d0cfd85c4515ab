import { expect, test } from 'vitest';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { readEarlierActs } from '../../../src/store/transcript/earlier-foci.ts';
import { answerQuestion, approve, deny } from '../../../src/store/work/decide.ts';
import { failWork } from '../../../src/store/work/work.ts';
import { askOf } from '../../support/ask-of.ts';
import { beginFocus, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { ASKS } from '../work/asked-item.ts';

const target = testDatabase();

test('the next attempt reads what people approved, denied and answered in the one before', async () => {
  const { database: db } = target;
  const work = await beginFocus(db);
  await recordCalls(db, work, 1, ['yes', 'no', 'which'], 'bash');
  for (const call of ['yes', 'no']) await askPerson(db, work.key, 1, call, 'approval', ASKS);
  const question = { subject: 'question', request: { question: 'Which one?' }, seconds: null } as const;
  await askPerson(db, work.key, 1, 'which', 'human', question);
  await approve(db, work.id, { ask: await askOf(db, work.id, 'yes'), note: 'go on' });
  await deny(db, work.id, { ask: await askOf(db, work.id, 'no'), note: 'not now' });
  await answerQuestion(db, work.id, 'The left one.');
  await failWork(db, work, { code: 'x', message: 'y' }, 0);
  const next = await beginFocus(db, { id: work.id });
  const { decisions } = await readEarlierActs(db, next.key.focusId);
  expect(decisions.map(({ action, note }) => [action, note])).toEqual([
    ['approve', 'go on'],
    ['deny', 'not now'],
    ['answer', 'The left one.'],
  ]);
});
