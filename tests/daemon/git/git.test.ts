/** How the daemon's calls of git share entries into the isolation. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type GitPlace, type GitWriter, runGit } from '../../../src/daemon/git/git.ts';
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

test('commands of other places, or that write or are given something, go alone; so does each whose output was cut with that of others', async () => {
  const { repo, ...site } = await setUpWorktree();
  const { means, started } = watched(site.means);
  const place: GitPlace = { gitDir: join(repo, '.git'), commonDir: join(repo, '.git'), workTree: repo, off: [] };
  const bare = { ...place, workTree: null };
  await Promise.all([
    runGit(place, ['show-ref'], means),
    runGit(bare, ['show-ref'], means),
    runGit(place, ['update-ref', 'refs/heads/more', 'HEAD'], means),
    runGit(place, ['config', '--file', '-', '--list'], means, { stdin: '[a]\nb = c\n' }),
  ]);
  expect(started).toHaveLength(4);
  for (const name of ['one', 'two']) {
    const text = Array.from({ length: 200_000 }, (_, n) => `${name} ${n} ${'x'.repeat(80)}\n`).join('');
    mkdirSync(join(repo, 'large'), { recursive: true });
    writeFileSync(join(repo, 'large', name), text);
  }
  const how = (name: string) => ['diff', '--no-ext-diff', '--no-index', '/dev/null', `large/${name}`];
  const [one, two] = await Promise.all([runGit(place, how('one'), means), runGit(place, how('two'), means)]);
  expect(started).toHaveLength(7);
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
    const command = given.args.find((arg) => arg === 'fetch' || arg === 'for-each-ref');
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
  expect(failed).toEqual(['fetch', 'for-each-ref']);
  expect(execFileSync('git', ['-C', repo, 'show', `${branch}:a.txt`], { encoding: 'utf8' })).toBe('changed\n');
});

test('a worktree is opened by four entries, ended without work by three, and with a changed file by twelve', async () => {
  const site = await setUpWorktree();
  const { means, started } = watched(site.means);
  const count = async (act: () => Promise<unknown>) => {
    const before = started.length;
    await act();
    return started.length - before;
  };
  const [untouched, changed] = [await open(site.spec(), means), await open(site.spec(), means)];
  writeFileSync(join(changed.path, 'a.txt'), 'changed\n');
  expect(await count(() => open(site.spec(), means))).toBe(4);
  expect(await count(() => close(untouched, means))).toBe(3);
  expect(await count(() => close(changed, means, { commit: true }))).toBe(12);
});
