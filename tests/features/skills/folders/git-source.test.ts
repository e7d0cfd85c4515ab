import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cloneSkills } from '../../../../src/features/skills/folders/git-source.ts';
import { eventually } from '../../../support/eventually.ts';

test('an interruption while git has ended, and something of it still holds its output, is an interruption', async () => {
  const home = mkdtempSync(join(tmpdir(), 'git-source-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const program = join(home, 'git');
  // The file is there before git ends, and what it leaves is in another group.
  writeFileSync(program, '#!/bin/sh\necho $$ > "$HOME/pid"\nsetsid sleep 2 &\n');
  chmodSync(program, 0o755);
  const stop = new AbortController();
  const env = { PATH: `${home}:${process.env['PATH']}`, HOME: home };
  const cloning = cloneSkills({ url: 'https://h/x', protocol: 'https' }, undefined, home, env, stop.signal);
  const ended = expect(cloning).rejects.toMatchObject({ code: 'interrupted' });
  await eventually('the end of git', () => (hasEnded(join(home, 'pid')) ? true : null));
  stop.abort();
  await ended;
});

function hasEnded(pidFile: string): boolean {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
