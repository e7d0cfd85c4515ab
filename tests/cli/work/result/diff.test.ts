/** `animus work diff`: from the repository, or from what is stored. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { patchFiles } from '../../../../src/core/text/patch-files.ts';
import { testDatabase } from '../../../support/database.ts';
import { diff, handOver, LINE_5 } from '../../../support/handed-over.ts';
import { git } from '../../../support/worktree.ts';
import { commandSite } from '../command-site.ts';

const db = testDatabase();
const { animus } = commandSite(db);

const show = (item: { id: string; home: string }, cwd: string, ...options: string[]) =>
  animus(['work', 'diff', item.id, ...options], {
    cwd,
    env: {
      ANIMUS_HOME: item.home,
      PATH: process.env['PATH']!,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
    },
  });

test('the commits and what was left uncommitted, wherever one stands on the machine', async () => {
  const item = await handOver(db.database, { commits: [{ 'b.txt': 'new\n' }], rest: { 'a.txt': LINE_5 } });
  for (const cwd of [item.repo, '/', item.directory]) {
    const { code, stdout } = await show(item, cwd);
    expect(code).toBe(0);
    expect(stdout).toContain('+line five');
    expect(stdout).toContain('+new');
    expect(stdout).not.toContain('\u001b');
  }
  const stat = await show(item, item.repo, '--stat');
  expect(stat.stdout).toMatch(/ a\.txt \| 2 \+-\n b\.txt \| 1 \+\n 2 files changed/);
});

test('from the stored patch where the repository is gone, and by a plain message where that was too large', async () => {
  const item = await handOver(db.database);
  const large = await handOver(db.database, { unstored: true });
  rmSync(item.repo, { recursive: true });
  rmSync(large.repo, { recursive: true });
  const { stdout } = await show(item, '/');
  expect(stdout).toContain('-line 5\n+line five');
  expect((await show(item, '/', '--stat')).stdout).toBe('a.txt  +1 -1\nb.txt  +1 -0\n');
  expect(await show(item, '/', '--tool')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('is not on this machine'),
  });
  const document = JSON.parse((await show(item, '/', '--json')).stdout) as { files: unknown; patch: string };
  expect(document).toMatchObject({
    work_item_id: item.id,
    branch: item.branch,
    start: item.start,
    tip: item.tip,
    files: [
      { path: 'a.txt', added: 1, removed: 1 },
      { path: 'b.txt', added: 1, removed: 0 },
    ],
  });
  expect(document.patch).toBe(stdout);
  expect(await show(large, '/')).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(
      /is not stored in the database: it has \d+ B, and at most 4 MiB are\. Its commits are on animus\//,
    ),
  });
});

test('drivers that the branch chooses run only if the configuration of the user has them', async () => {
  const item = await handOver(db.database, {
    commits: [{ '.gitattributes': '*.txt diff=evil\n', 'a.txt': LINE_5 }],
  });
  const mark = join(item.home, 'ran');
  git(item.directory, 'config', 'diff.evil.textconv', `touch ${mark}; cat`);
  git(item.directory, 'config', 'diff.evil.command', `touch ${mark}`);
  for (const cwd of [item.repo, item.directory]) expect((await show(item, cwd)).stdout).toContain('+line five');
  expect(existsSync(mark)).toBe(false);
  // A driver of the user's own configuration runs, as it does in any git diff.
  git(item.repo, 'config', 'diff.evil.textconv', 'sed s/line/LINE/');
  writeFileSync(join(item.repo, '.gitattributes'), '*.txt diff=evil\n');
  expect((await show(item, item.repo)).stdout).toContain('+LINE five');
});

test('a diff tool gets the two commits', async () => {
  const item = await handOver(db.database);
  const log = join(item.home, 'tool.log');
  writeFileSync(join(item.home, 'tool'), `#!/bin/sh\ncat "$2" >> ${log}\n`, { mode: 0o755 });
  git(item.repo, 'config', 'diff.tool', 'mine');
  git(item.repo, 'config', 'difftool.prompt', 'false');
  git(item.repo, 'config', 'difftool.mine.cmd', `${join(item.home, 'tool')} "$LOCAL" "$REMOTE"`);
  expect(await show(item, item.repo, '--tool')).toMatchObject({ code: 0 });
  expect(readFileSync(log, 'utf8')).toBe(`${LINE_5}new\n`);
});

test('what the files of a patch are, is read as git writes it', async () => {
  const odd = {
    'two\nlines': '-- a\n++ b\n',
    'ü "x"\t': 'diff --git a/x b/x\n',
    'with space': 'x',
    'x.bin': '\0\u0001',
    'a.txt': LINE_5,
  };
  const item = await handOver(db.database, {
    base: { 'old name': LINE_5.repeat(3), gone: 'x\n', 'x.bin': '\0' },
    commits: [{ ...odd, gone: null, 'old name': null, 'new name': LINE_5.repeat(3) }],
  });
  const found = patchFiles(diff(item.repo, item.start, item.tip)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const listed = git(item.repo, 'diff', '--numstat', '-M', item.start, item.tip).split('\n').length;
  expect(found).toHaveLength(listed);
  expect(found).toEqual([
    { path: 'a.txt', added: 1, removed: 1 },
    { path: 'gone', added: 0, removed: 1 },
    { path: 'new name', added: 0, removed: 0 },
    { path: 'two\nlines', added: 2, removed: 0 },
    { path: 'with space', added: 1, removed: 0 },
    { path: 'x.bin', added: null, removed: null },
    { path: 'ü "x"\t', added: 1, removed: 0 },
  ]);
});
