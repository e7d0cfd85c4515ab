/** Promise: what the demo says to try next works as it is printed. tests/package does the same where the package is installed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newcomer } from '../support/newcomer.ts';
import { nextCommands } from '../support/next-commands.ts';

test('each command that the demo prints at its end works, also those of a kept one', async () => {
  const shell = newcomer();
  const demo = await shell.run('animus demo');
  expect(demo.code).toBe(0);
  const next = nextCommands(demo.output);
  expect(next).toEqual(['animus demo --keep', 'animus faculty add', 'animus init my-agents', 'animus serve --help']);
  for (const command of next) {
    const ran = await shell.run(command);
    expect([command, ran.code]).toEqual([command, 0]);
    const kept = command.endsWith('--keep') ? nextCommands(ran.output) : [];
    for (const each of kept) expect([each, (await shell.run(each)).code]).toEqual([each, 0]);
    if (kept.length > 0) expect(kept.at(-1)).toMatch(/^rm -r \S+animus-demo-\w+$/);
  }
  expect(existsSync(join(shell.home, 'my-agents/animus.toml'))).toBe(true);
}, 200_000);
