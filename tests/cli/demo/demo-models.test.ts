/** What `animus demo --model` refuses before anything starts. */
import { expect, test } from 'vitest';
import { run } from '../run-cli.ts';

test.each([
  ['antropic/claude', 'no provider named antropic (did you mean anthropic?)'],
  ['zzz/claude', 'no provider named zzz (known: anthropic, '],
  ['anthropic/claude', 'anthropic/claude needs an API key of anthropic, and ANTHROPIC_API_KEY is not set'],
])('a demo with %s', async (model, problem) => {
  const { code, stdout, stderr } = await run(['demo', '--model', model]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(problem);
});
