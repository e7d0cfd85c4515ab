/**
 * What a worktree costs beside git's own commands, in a repository of N files (default 10,000): opening it, a wait with nothing new, the end with a
 * changed file. Usage: npm run bench -- tests/bench/worktrees/run.ts [--files N] [--rounds N]
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { UNLEASED } from '../../../src/core/lifecycle/lease.ts';
import type { GitWriter } from '../../../src/daemon/git/git.ts';
import { closeWorktree } from '../../../src/daemon/worktrees/close-worktree.ts';
import { openWorktree, planWorktree } from '../../../src/daemon/worktrees/worktree.ts';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import { detectIsolation } from '../../../src/process/isolation.ts';

const { values } = parseArgs({
  options: { files: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '7' } },
});
const root = mkdtempSync(join(tmpdir(), 'bench-worktrees-'));
const repo = join(root, 'repo');
const processes = createProcessHost({});
await processes.start();
try {
  makeRepository(Number(values.files));
  const isolation = await detectIsolation(root);
  const means: GitWriter = {
    processes,
    owner: 'bench',
    isolation,
    fileRules: [],
    signal: new AbortController().signal,
    clock: systemClock,
    lease: UNLEASED,
  };
  const times: Record<string, number[]> = {};
  const time = async <T>(name: string, act: () => T | Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await act();
    (times[name] ??= []).push(performance.now() - began);
    return result;
  };
  for (let round = 0; round < Number(values.rounds); round++) {
    await bare(round, time);
    await ours(means, time);
  }
  process.stdout.write(`${values.files} files, isolation ${isolation}, medians of ${values.rounds} rounds in ms\n`);
  for (const [name, all] of Object.entries(times)) {
    const sorted = all.toSorted((a, b) => a - b);
    const [least, median, most] = [sorted[0]!, sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!];
    process.stdout.write(
      `${name.padEnd(48)} ${median.toFixed(0).padStart(6)} (${least.toFixed(0)}–${most.toFixed(0)})\n`,
    );
  }
} finally {
  await processes.stop();
  rmSync(root, { recursive: true, force: true });
}

type Time = <T>(name: string, act: () => T | Promise<T>) => Promise<T>;

/** What a person would type. */
async function bare(round: number, time: Time): Promise<void> {
  const path = join(root, `bare-${round}`);
  await time('git worktree add', () => git(repo, 'worktree', 'add', '-q', '-b', `bare-${round}`, path));
  await time('git status', () => git(path, 'status', '--porcelain'));
  writeFileSync(join(path, 'dir-0', 'file-0.txt'), `changed ${round}\n`);
  await time('git add and commit', () => {
    git(path, 'add', '-A');
    git(path, '-c', 'user.name=b', '-c', 'user.email=b@b', 'commit', '-q', '-m', 'changed');
  });
}

async function ours(means: GitWriter, time: Time): Promise<void> {
  const id = randomUUID();
  const author = { name: 'bench', email: 'bench@localhost' };
  const spec = {
    repo,
    root: join(root, 'worktrees'),
    id,
    workItemId: id,
    recorded: null,
    author,
    submittedBy: null,
    linked: [],
  };
  const worktree = await time('animus: open', async () => openWorktree(await planWorktree(spec, means), means));
  const words = { author, message: 'changed\n' };
  await time('animus: hand over, nothing new', () =>
    closeWorktree(worktree, { ended: false, commit: false, words }, means),
  );
  writeFileSync(join(worktree.path, 'dir-0', 'file-0.txt'), `changed ${id}\n`);
  await time('animus: hand over and commit a changed file', () =>
    closeWorktree(worktree, { ended: true, commit: true, words }, means),
  );
}

function makeRepository(files: number): void {
  mkdirSync(repo);
  git(repo, 'init', '-q', '-b', 'main');
  for (let n = 0; n < files; n++) {
    if (n < 100) mkdirSync(join(repo, `dir-${n}`));
    writeFileSync(join(repo, `dir-${n % 100}`, `file-${n}.txt`), `line of file ${n}\n`.repeat(40));
  }
  git(repo, 'add', '-A');
  git(repo, '-c', 'user.name=b', '-c', 'user.email=b@b', 'commit', '-q', '-m', 'first');
}

function git(directory: string, ...args: string[]): void {
  execFileSync('git', ['-C', directory, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
}
