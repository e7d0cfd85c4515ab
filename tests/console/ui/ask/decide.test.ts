import { expect, test } from 'vitest';
import { ApiError, type Approval } from '../../../../src/client/client.ts';
import { type DecidingClient, decide } from '../../../../src/console/ui/ask/decide.ts';

const ASK = {
  work_item_id: 'w',
  ask_id: 'a',
  hash: 'h',
  subject: 'tool_call',
  request: { skill: 's' },
} as unknown as Approval;

/** Records what is sent, and answers with this. */
function client(answer: unknown) {
  const sent: unknown[] = [];
  const method =
    (name: string) =>
    async (...args: unknown[]) => {
      sent.push([name, ...args]);
      if (answer instanceof Error) throw answer;
      return answer;
    };
  const names = { approve: method('approve'), deny: method('deny'), answer: method('answer') };
  return { sent, is: { approvals: names, skills: { ...names } } as unknown as DecidingClient };
}

test('a decision carries the hash of what was shown', async () => {
  const { sent, is } = client({ budget: null, grant_id: null });
  await decide(is, ASK, { is: 'approve', note: 'n', input: { a: 1 } });
  await decide(is, ASK, { is: 'deny', note: 'n' });
  await decide(is, ASK, { is: 'answer', text: 't' });
  expect(sent).toEqual([
    ['approve', 'w', { ask_id: 'a', hash: 'h', note: 'n', input: { a: 1 }, always: undefined }],
    ['deny', 'w', { ask_id: 'a', hash: 'h', note: 'n' }],
    ['answer', 'w', { ask_id: 'a', text: 't' }],
  ]);
});

test('a skill whose work is gone is decided by its name', async () => {
  const { sent, is } = client({});
  await decide(is, { ...ASK, work_item_id: null }, { is: 'deny', note: 'n' });
  expect(sent).toEqual([['deny', 's', { note: 'n', hash: 'h' }]]);
});

test.each([
  [409, 'gone'],
  [404, 'gone'],
  [403, 'failed'],
  [500, 'failed'],
])('an answer with status %i means: %s', async (status, result) => {
  const error = new ApiError('work.state', 'bob has decided it', { status });
  expect(await decide(client(error).is, ASK, { is: 'deny', note: '' })).toEqual({
    is: result,
    text: 'bob has decided it',
  });
});

test('says what became of a limit', async () => {
  const budget = { amount: 3, unit: 'usd', items: 2, waiting: 0 };
  const { is } = client({ budget, grant_id: null });
  expect(await decide(is, ASK, { is: 'approve', note: '' })).toEqual({
    is: 'done',
    text: 'The limit is 3 USD. 2 work items go on.',
  });
  expect(await decide(is, ASK, { is: 'deny', note: '' })).toEqual({ is: 'done', text: 'Denied: 2 work items ended.' });
});
