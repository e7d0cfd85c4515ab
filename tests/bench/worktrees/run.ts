/**
 * What a worktree costs beside git's own commands: `npm run bench -- tests/bench/worktrees/run.ts [--sizes 9,30000] [--rounds 7]`. In a repository of so
 * many files: opening one and ending without work, beside `git worktree add` and `remove`; handing over a changed file, beside `git add` and `commit`; and
 * twenty opened at once, up to 1,000 files, beside twenty of git one after the other, because it cannot add several at once. Also counts the entries into
 * the isolation.
 */
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { UNLEASED } from '../../../src/core/lifecycle/lease.ts';
import type { GitWriter } from '../../../src/daemon/git/git.ts';
import { closeWorktree, removeWorktree } from '../../../src/daemon/worktrees/close-worktree.ts';
import { openWorktree, planWorktree, type Worktree } from '../../../src/daemon/worktrees/worktree.ts';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import { detectIsolation } from '../../../src/process/isolation.ts';
import { median } from '../support/bench-database.ts';
import { report } from '../support/report.ts';

const { values } = parseArgs({
  options: { sizes: { type: 'string', default: '9,30000' }, rounds: { type: 'string', default: '7' } },
});
const AT_ONCE = 20;
const AUTHOR = { name: 'bench', email: 'bench@localhost' };
const root = realpathSync(mkdtempSync(join(tmpdir(), 'bench-worktrees-')));
const host = createProcessHost({});
await host.start();
let entries = 0;
const git: GitWriter = {
  processes: { ...host, run: (spec, signal) => (entries++, host.run(spec, signal)) },
  owner: 'bench',
  isolation: await detectIsolation(root),
  fileRules: [],
  signal: new AbortController().signal,
  clock: systemClock,
  lease: UNLEASED,
};
try {
  console.log(`isolation ${git.isolation}; medians of ${values.rounds}, in ms`);
  for (const files of values.sizes.split(',').map(Number)) await measure(files, Number(values.rounds));
} finally {
  await host.stop();
  rmSync(root, { recursive: true, force: true });
}

async function measure(files: number, rounds: number): Promise<void> {
  const repo = makeRepository(files);
  const rows = new Map<string, { git: number[]; animus: number[]; entries: number }>();
  const time = async <T>(what: string, who: 'git' | 'animus', act: () => Promise<T>): Promise<T> => {
    const [startedAt, before] = [performance.now(), entries];
    const result = await act();
    const row = rows.get(what) ?? { git: [], animus: [], entries: 0 };
    row[who].push(performance.now() - startedAt);
    if (who === 'animus') row.entries = entries - before;
    rows.set(what, row);
    return result;
  };
  for (let round = 0; round < rounds; round++) {
    const bare = join(root, `bare-${round}`);
    await time('open', 'git', () => run(repo, 'worktree', 'add', '-q', '-b', `bare-${round}`, bare));
    const worktree = await time('open', 'animus', () => open(repo));
    await time('end without work', 'git', () => run(repo, 'worktree', 'remove', bare));
    await time('end without work', 'animus', () => end(worktree));
    await run(repo, 'worktree', 'add', '-q', bare, `bare-${round}`);
    const worked = await open(repo);
    for (const path of [bare, worked.path]) writeFileSync(join(path, 'dir-0/file-0.txt'), `changed ${round}\n`);
    await time('end with a changed file', 'git', async () => {
      await run(bare, 'add', '-A');
      await run(bare, '-c', 'user.name=b', '-c', 'user.email=b@b', 'commit', '-q', '-m', 'changed');
    });
    await time('end with a changed file', 'animus', () => end(worked));
    await run(repo, 'worktree', 'remove', bare);
    rmSync(worked.path, { recursive: true });
  }
  const numbers = Array.from({ length: files > 1000 ? 0 : AT_ONCE }, (_, n) => n);
  if (numbers.length > 0) {
    await time(`${AT_ONCE} opened at once`, 'git', async () => {
      for (const n of numbers) await run(repo, 'worktree', 'add', '-q', '-b', `many-${n}`, join(root, `many-${n}`));
    });
    await time(`${AT_ONCE} opened at once`, 'animus', () => Promise.all(numbers.map(() => open(repo))));
  }
  for (const [what, row] of rows) show(`${what}, ${files} files`, row);
  for (const path of ['worktrees', 'repo', ...numbers.map((n) => `many-${n}`)]) {
    rmSync(join(root, path), { recursive: true, force: true });
  }
}

function show(
  what: string,
  row: { readonly git: number[]; readonly animus: number[]; readonly entries: number },
): void {
  const [bare, ours] = [median(row.git), median(row.animus)];
  const figures = { git: bare.toFixed(0), animus: ours.toFixed(0), ratio: `${(ours / bare).toFixed(2)}×` };
  const shown = Object.entries(figures).map(([who, text]) => `${who} ${text}`);
  console.log(`  ${what.padEnd(36)} ${shown.join('   ')}   ${row.entries} entries into the isolation`);
  report({ what: `worktrees: ${what}`, who: 'animus beside git', figures });
}

async function open(repo: string): Promise<Worktree> {
  const id = randomUUID();
  const at = { repo, root: join(root, 'worktrees'), id, workItemId: id };
  const spec = { ...at, recorded: null, author: AUTHOR, submittedBy: null, linked: [] };
  // As each focus has its own: calls of several are not gathered.
  const own = { ...git };
  return openWorktree(await planWorktree(spec, own), own);
}

async function end(worktree: Worktree): Promise<void> {
  const words = { author: AUTHOR, message: 'changed\n' };
  const closed = await closeWorktree(worktree, { ended: true, commit: true, words }, git);
  if (closed.state === 'removed') await removeWorktree(worktree, closed, git);
}

function makeRepository(files: number): string {
  const repo = join(root, 'repo');
  mkdirSync(repo);
  execFileSync('git', ['-C', repo, 'init', '-q', '-b', 'main']);
  for (let n = 0; n < files; n++) {
    if (n < 100) mkdirSync(join(repo, `dir-${n}`));
    writeFileSync(join(repo, `dir-${n % 100}`, `file-${n}.txt`), `line of file ${n}\n`.repeat(40));
  }
  execFileSync('git', ['-C', repo, 'add', '-A']);
  execFileSync('git', ['-C', repo, '-c', 'user.name=b', '-c', 'user.email=b@b', 'commit', '-q', '-m', 'first']);
  return repo;
}

async function run(directory: string, ...args: string[]): Promise<void> {
  await promisify(execFile)('git', ['-C', directory, ...args]);
}
