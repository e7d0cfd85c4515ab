/** How the daemon's calls of git share entries into the isolation. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type GitPlace, type GitWriter, runGit, runGits } from '../../../src/daemon/git/git.ts';
import type { ProcessSpec } from '../../../src/process/process-host.ts';
import { close, open, setUpWorktree } from '../../support/worktree.ts';

/** The means, and what they have started. */
function watched(means: GitWriter): { readonly means: GitWriter; readonly started: ProcessSpec[] } {
  const started: ProcessSpec[] = [];
  const { processes } = means;
  const run: typeof processes.run = (spec, signal) => {
    started.push(spec);
    return processes.run(spec, signal);
  };
  return { means: { ...means, processes: { ...processes, run } }, started };
}

test('commands that only read share an entry, and each has its own output, errors and end', async () => {
  const { repo, ...site } = await setUpWorktree({}, "it's a 'repo'");
  const { means, started } = watched(site.means);
  execFileSync('git', ['-C', repo, 'tag', 'v1']);
  writeFileSync(join(repo, 'new\nfile'), '');
  const place: GitPlace = { gitDir: join(repo, '.git'), commonDir: join(repo, '.git'), workTree: repo, off: [] };
  const calls = [
    ['status', '--porcelain', '-z'],
    ['show-ref', 'refs/heads/$(nothing)'],
    ['rev-list', '--count', 'no\\such\nthing', '--'],
    ['rev-list', '--count', 'HEAD'],
    ['diff', '--no-index', '/dev/null', '/dev/null'],
  ];
  const alone = [];
  for (const args of calls) alone.push(await runGit(place, args, means));
  expect(started).toHaveLength(5);
  expect(await Promise.all(calls.map((args) => runGit(place, args, means)))).toEqual(alone);
  expect(started).toHaveLength(6);
  expect(alone.map(({ ok, stdout }) => [ok, stdout])).toEqual([
    [true, '?? new\nfile\0'],
    [false, ''],
    [false, ''],
    [true, '1\n'],
    [true, ''],
  ]);
  expect(alone[2]!.stderr).toContain('no\\such\nthing');
});

test('commands of several places share an entry, unless git runs as the owner of the place; those that write or are given something go alone', async () => {
  const { repo, ...site } = await setUpWorktree();
  const { means, started } = watched(site.means);
  const place: GitPlace = { gitDir: join(repo, '.git'), commonDir: join(repo, '.git'), workTree: repo, off: [] };
  const other: GitPlace = { ...place, workTree: null, off: [['core.abbrev', '7']] };
  const calls = (git: GitWriter) => [
    runGit(place, ['config', '--get', 'core.abbrev'], git),
    runGit(place, ['update-ref', 'refs/heads/more', 'HEAD'], git),
    runGit(other, ['config', '--get', 'core.abbrev'], git),
    runGit(other, ['status', '--porcelain'], git),
    runGit(place, ['status', '--porcelain'], git),
    runGit(place, ['show-ref', 'refs/heads/more'], git),
  ];
  const results = await Promise.all(calls(means));
  expect(started).toHaveLength(1);
  expect(results.map(({ ok }) => ok)).toEqual([false, true, true, true, true, true]);
  expect(results[2]!.stdout).toBe('7\n');
  // Git takes the directory that it is in for the files of the other place.
  expect(results.slice(3, 5).map(({ stdout }) => stdout.includes(' D a.txt'))).toEqual([true, false]);
  await Promise.allSettled(calls({ ...means, isolation: 'uid' }));
  expect(started.slice(1).map(({ cwd }) => cwd)).toEqual([repo, join(repo, '.git')]);
  await Promise.all([
    runGit(place, ['update-ref', '-d', 'refs/heads/more', 'HEAD'], means),
    runGit(place, ['config', '--file', '-', '--list'], means, { stdin: '[a]\nb = c\n' }),
  ]);
  expect(started).toHaveLength(5);
});

test('steps share an entry in their order, and one of them reads a text', async () => {
  const { repo, ...site } = await setUpWorktree();
  const { means, started } = watched(site.means);
  const place: GitPlace = { gitDir: join(repo, '.git'), commonDir: join(repo, '.git'), workTree: repo, off: [] };
  writeFileSync(join(repo, 'b.txt'), 'b\n');
  const input = { env: { GIT_INDEX_FILE: join(repo, '.git/other') } };
  const steps = [
    { place, args: ['update-index', '--add', '-z', '--stdin'], input: { ...input, stdin: 'b.txt\0' } },
    { place, args: ['ls-files'], input },
    { place, args: ['ls-files'] },
    { place, args: ['hash-object', '--stdin'] },
  ];
  const results = await runGits(steps, means);
  expect(results.map(({ stdout }) => stdout)).toEqual([
    '',
    'b.txt\n',
    '.gitignore\na.txt\n',
    expect.stringMatching(/^e69de29/),
  ]);
  expect(started).toHaveLength(1);
  expect(await runGits([{ place, args: ['nonsense'] }, steps[2]!], means)).toMatchObject([{ ok: false }, { ok: true }]);
});

test('each of several whose output was cut together runs alone', async () => {
  const { repo, ...site } = await setUpWorktree();
  const { means, started } = watched(site.means);
  const place: GitPlace = { gitDir: join(repo, '.git'), commonDir: join(repo, '.git'), workTree: repo, off: [] };
  for (const name of ['one', 'two']) {
    const text = Array.from({ length: 200_000 }, (_, n) => `${name} ${n} ${'x'.repeat(80)}\n`).join('');
    mkdirSync(join(repo, 'large'), { recursive: true });
    writeFileSync(join(repo, 'large', name), text);
  }
  const how = (name: string) => ['diff', '--no-ext-diff', '--no-index', '/dev/null', `large/${name}`];
  const [one, two] = await Promise.all([runGit(place, how('one'), means), runGit(place, how('two'), means)]);
  expect(started).toHaveLength(3);
  expect([one.cut, two.cut, one.stdout.includes('two'), two.stdout.endsWith('x\n')]).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

test('one that is killed among others has not finished, as when it runs alone', async () => {
  const { root, repo, means } = await setUpWorktree();
  const path = process.env['PATH'] ?? '';
  const bin = join(root, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh\ncase "$*" in *show-ref*) kill -9 $$;; esac\nPATH=${path} exec git "$@"\n`;
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  process.env['PATH'] = `${bin}:${path}`;
  onTestFinished(() => void (process.env['PATH'] = path));
  const place: GitPlace = { gitDir: join(repo, '.git'), commonDir: join(repo, '.git'), workTree: repo, off: [] };
  const both = Promise.all([runGit(place, ['config', '--list'], means), runGit(place, ['show-ref'], means)]);
  await expect(both).rejects.toThrow('git show-ref did not finish');
});

test('work is handed over while somebody adds a worktree to the repository, whose files are empty for a moment', async () => {
  const { repo, spec, means } = await setUpWorktree();
  const worktree = await open(spec(), means);
  writeFileSync(join(worktree.path, 'a.txt'), 'first\n');
  await close(worktree, means, { ended: false, commit: true });
  writeFileSync(join(worktree.path, 'a.txt'), 'changed\n');
  const half = join(repo, '.git/worktrees/half');
  const failed: string[] = [];
  const run: typeof means.processes.run = async (given, signal) => {
    const words = given.args.join(' ');
    const command = ['fetch', 'for-each-ref'].find((each) => new RegExp(`\\b${each}\\b`).test(words));
    if (command === undefined || failed.includes(command)) return means.processes.run(given, signal);
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, 'commondir'), '');
    writeFileSync(join(half, 'gitdir'), join(repo, '../half/.git'));
    const result = await means.processes.run(given, signal);
    rmSync(half, { recursive: true });
    if (result.stderr.text.includes('commondir')) failed.push(command);
    return result;
  };
  const { branch } = await close(worktree, { ...means, processes: { ...means.processes, run } }, { commit: true });
  expect(failed).toEqual(['for-each-ref', 'fetch']);
  expect(execFileSync('git', ['-C', repo, 'show', `${branch}:a.txt`], { encoding: 'utf8' })).toBe('changed\n');
});

test('a worktree is opened by three entries, ended without work by two, and with a changed file by eight', async () => {
  const site = await setUpWorktree();
  const { means, started } = watched(site.means);
  const count = async (act: () => Promise<unknown>) => {
    const before = started.length;
    await act();
    return started.length - before;
  };
  const [untouched, changed] = [await open(site.spec(), means), await open(site.spec(), means)];
  writeFileSync(join(changed.path, 'a.txt'), 'changed\n');
  expect(await count(() => open(site.spec(), means))).toBe(3);
  expect(await count(() => close(untouched, means))).toBe(2);
  expect(await count(() => close(changed, means, { commit: true }))).toBe(8);
});
