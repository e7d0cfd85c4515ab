/** Promise: a package of a skill on this host is whole, or is not there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { sweepPackages } from '../../../src/daemon/workspace/skill-packages.ts';

const EIGHT_DAYS_AGO = Date.now() / 1000 - 8 * 86_400;

test('one that was not used for a week is removed, the others stay', async () => {
  const directory = scratch();
  const [old, young] = [put(directory, 'old'), put(directory, 'young')];
  utimesSync(old, EIGHT_DAYS_AGO, EIGHT_DAYS_AGO);
  await sweepPackages(directory);
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
});

test('a sweep that is killed while it removes one leaves no half of it in its place', async () => {
  const directory = scratch();
  const files = 3_000;
  const old = put(directory, 'old', files);
  utimesSync(old, EIGHT_DAYS_AGO, EIGHT_DAYS_AGO);
  const module = new URL('../../../src/daemon/workspace/skill-packages.ts', import.meta.url).href;
  const program = `const { sweepPackages } = await import('${module}'); await sweepPackages(process.argv[1])`;
  const sweep = spawn(process.execPath, ['--input-type=module', '-e', program, directory], { stdio: 'ignore' });
  const ended = once(sweep, 'exit');
  while (existsSync(old) && readdirSync(old).length === files) await sleep(1);
  sweep.kill('SIGKILL');
  await ended;
  // Half of it would be taken for the whole package, and for a new one.
  expect(existsSync(old)).toBe(false);
  await sweepPackages(directory);
  expect(readdirSync(directory)).toEqual([]);
});

function put(directory: string, name: string, files = 1): string {
  const path = join(directory, name);
  mkdirSync(path);
  for (let n = 0; n < files; n += 1) writeFileSync(join(path, String(n)), '');
  return path;
}

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'skill-packages-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
