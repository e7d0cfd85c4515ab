/** Promise: two processes never open one directory, whatever they see of each other. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../src/core/lifecycle/clock.ts';
import { connectOrOpenEmbedded } from '../../../src/store/embedded/connect-embedded.ts';
import { openEmbedded } from '../../../src/store/embedded/embedded.ts';
import { lockDirectory } from '../../../src/store/embedded/embedded-lock.ts';
import { embeddedHome } from '../../support/database.ts';

const ELSEWHERE = ['unshare', '--pid', '--fork', '--mount-proc'];

test.skipIf(spawnSync(ELSEWHERE[0]!, [...ELSEWHERE.slice(1), 'true']).status !== 0)(
  'a process of another pid namespace, which cannot see the owner, is refused',
  async () => {
    const home = await owned();
    expect(await openElsewhere(home, ELSEWHERE)).toBe('db.embedded_locked\n');
  },
);

test('a process that finds the lock file removed is refused as long as the owner answers', async () => {
  const home = await owned();
  rmSync(join(home, 'db.lock'));
  expect(await openElsewhere(home)).toBe('db.embedded_locked\n');
  // It has made another lock file, which it does not hold any more.
  expect(await openElsewhere(home)).toBe('db.embedded_locked\n');
});

test('a command waits for half a minute for another one that is still creating the database', async () => {
  const home = embeddedHome();
  const lock = lockDirectory(home);
  const clock = hurriedClock((ms) => {
    if (ms >= 29_000) lock?.release();
  });
  const database = await connectOrOpenEmbedded({ home, clock });
  expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  await database.close();
});

test('and then says that it does not answer', async () => {
  const home = embeddedHome();
  const lock = lockDirectory(home);
  onTestFinished(() => lock?.release());
  await expect(connectOrOpenEmbedded({ home, clock: hurriedClock(() => {}) })).rejects.toThrow(
    `the embedded database in ${home}/db is used by another process, which is still starting or does not answer; try again, or set DATABASE_URL`,
  );
});

/** A home whose directory this process has open. */
async function owned(): Promise<string> {
  const home = embeddedHome();
  const database = await openEmbedded({ home });
  onTestFinished(() => database.close());
  return home;
}

/** What becomes of an attempt to open the directory in another process. */
async function openElsewhere(home: string, wrapper: readonly string[] = []): Promise<string> {
  const module = new URL('../../../src/store/embedded/embedded.ts', import.meta.url).href;
  const program = `import('${module}')
    .then(({ openEmbedded }) => openEmbedded({ home: process.argv[1] }))
    .then((db) => db.close().then(() => 'opened'), (error) => error.code)
    .then((end) => console.log(end))`;
  const [command, ...args] = [...wrapper, process.execPath, '-e', program, home];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await once(child, 'close');
  return printed;
}

/** A clock whose sleeps are over at once; `after` is told how long they would have taken. */
function hurriedClock(after: (ms: number) => void): Clock {
  let nowMs = 0;
  const pass = async (ms: number) => after((nowMs += ms));
  return { monotonicMs: () => nowMs, nowMs: () => nowMs, sleep: pass };
}
