/** Promise: the sweep removes a directory only if nothing goes on in it, and nothing that somebody may need is in it. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sweepFocusDirectories } from '../../../src/daemon/workspace/focus-directory.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { testDatabase } from '../../support/database.ts';
import { hangEverythingOn } from '../timers/whole-work.ts';

const target = testDatabase();
const DAY_MS = 86_400_000;
const IN_A_YEAR = Date.now() + 365 * DAY_MS;

test('an open focus keeps its directory, an ended one without files does not', async () => {
  const { root, sweep } = await setUp();
  const open = await focus(null);
  const empty = await focus('1 second');
  mkdirSync(join(root, open));
  mkdirSync(join(root, empty, 'a', 'b'), { recursive: true });
  expect(await sweep()).toBe(1);
  expect([open, empty].map((name) => existsSync(join(root, name)))).toEqual([true, false]);
});

test('files of an ended focus are kept for the days of the setting', async () => {
  const { root, sweep } = await setUp();
  const [young, old] = [await focus('6 days'), await focus('8 days')];
  for (const name of [young, old]) put(root, name, 'sub/report.md');
  expect(await sweep({ nowMs: IN_A_YEAR })).toBe(1);
  expect([young, old].map((name) => existsSync(join(root, name)))).toEqual([true, false]);
  expect(await sweep({ nowMs: IN_A_YEAR, keepDays: 0 })).toBe(1);
});

test('a directory in which something was changed since is kept, whatever the database says of its focus', async () => {
  const { root, sweep } = await setUp();
  // The focus goes on in the database that this one was copied from.
  const name = await focus('30 days');
  put(root, name, 'sub/report.md');
  utimesSync(join(root, name, 'sub', 'report.md'), 0, 0);
  expect(await sweep()).toBe(0);
  expect(existsSync(join(root, name, 'sub/report.md'))).toBe(true);
});

test('a worktree is kept, also where its .git is gone', async () => {
  const { root, sweep } = await setUp();
  const name = await focus('300 days');
  put(root, name, 'worktree/main.c');
  expect(await sweep({ nowMs: IN_A_YEAR, keepDays: 0 })).toBe(0);
  expect(existsSync(join(root, name, 'worktree/main.c'))).toBe(true);
});

test('a focus that this database does not know keeps its directory', async () => {
  const { root, sweep } = await setUp();
  put(root, '0197a000-0000-7000-8000-000000000000', 'report.md');
  expect(await sweep({ nowMs: IN_A_YEAR, keepDays: 0 })).toBe(0);
});

test('what cannot be read counts as somebody’s work, and does not stop the sweep of the others', async () => {
  const { root, sweep } = await setUp();
  const names = [await focus('1 day'), await focus('1 day'), await focus('1 day')];
  writeFileSync(join(root, names[1]!), 'no directory');
  for (const name of [names[0]!, names[2]!]) mkdirSync(join(root, name));
  expect(await sweep()).toBe(2);
  expect(existsSync(join(root, names[1]!))).toBe(true);
});

async function setUp() {
  const root = mkdtempSync(join(tmpdir(), 'focus-directories-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const sweep = (more: { readonly nowMs?: number; readonly keepDays?: number } = {}) =>
    sweepFocusDirectories(target.database, root, { keepDays: 7, log: silentLog, ...more });
  return { root, sweep };
}

/** A focus that ended so long ago; null: it is open. */
async function focus(ago: string | null): Promise<string> {
  const [item] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('smith') returning id`,
  );
  const id = await hangEverythingOn(target.database, item!.id);
  if (ago !== null)
    await target.database.query(
      `update animus.foci set started_at = animus.now() - $2::interval, ended_at = animus.now() - $2::interval, ended_as = 'completed' where id = $1`,
      [id, ago],
    );
  return id;
}

function put(root: string, name: string, file: string): void {
  mkdirSync(join(root, name, file, '..'), { recursive: true });
  writeFileSync(join(root, name, file), 'work\n');
}
