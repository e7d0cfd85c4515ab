import { expect, test } from 'vitest';
import { showMail } from '../../../../src/features/work/terminal/show-mail.ts';
import { createOutput } from '../../../../src/terminal/view/output.ts';

test('a message says with which turn the model has got it, and of which focus unless it is the first', () => {
  let text = '';
  const stream = { isTTY: false, write: (more: string) => void (text += more) };
  const output = createOutput({ stdout: stream, stderr: stream, env: {}, json: false });
  const mail = (more: object) => ({
    author: 'bob',
    author_is: 'person',
    duplicate_id: null,
    created_at: new Date().toISOString(),
    text: 'Hi.',
    delivered_at: new Date().toISOString(),
    not_delivered: null,
    ...more,
  });
  const told = [mail({ turn: 3, focus: 1 }), mail({ turn: 4, focus: 2 }), mail({ delivered_at: null })];
  showMail(output, { state: 'running' }, told as never);
  expect(text.split('\n').filter((line) => line.includes('bob'))).toEqual([
    expect.stringMatching(/delivered with turn 3$/),
    expect.stringMatching(/delivered with turn 4 of focus 2$/),
    expect.stringMatching(/waits for the next turn$/),
  ]);
});
