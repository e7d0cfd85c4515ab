/** `animus work apply` is killed or interrupted at each git that it starts: the checkout is as before, or has all of it. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedCompileCache } from '../support/compile-cache.ts';
import { LAUNCHER } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type HandedOver, handOver, LINE_5, stateOf, write } from '../support/handed-over.ts';
import { commit, git } from '../support/worktree.ts';

const db = testDatabase({ anew: true });

/**
 * In place of git. Counts its calls in `calls`, and sends `signal` to the command before call number `at`. `live` has a file for each git, named by its
 * pid. The pid of the command is in `pid`, for a filter of the repository.
 */
const SHIM = `#!/bin/sh
echo $PPID > "$SHIM/pid"
touch "$SHIM/live/$$"
echo >> "$SHIM/calls"
if [ "$(wc -l < "$SHIM/calls")" -eq "$(cat "$SHIM/at")" ]; then . "$SHIM/signal"; fi
PATH="$REAL_PATH" exec git "$@"
`;
/** To the process group of the command, as a terminal does it. */
const SIGNALS = {
  KILL: 'kill -s KILL -- -$PPID; while kill -0 $PPID 2>/dev/null; do :; done',
  INT: 'kill -s INT -- -$PPID',
} as const;

interface Ended {
  readonly code: number | null;
  /** How often it started git. */
  readonly calls: number;
}

/** Runs the command, and waits until the last git has ended. */
async function apply(item: HandedOver, mode: string, at = 0, signal: keyof typeof SIGNALS = 'KILL'): Promise<Ended> {
  const shim = join(item.home, 'shim');
  rmSync(shim, { recursive: true, force: true });
  mkdirSync(join(shim, 'live'), { recursive: true });
  mkdirSync(join(item.home, 'tmp'), { recursive: true });
  const files = { git: SHIM, at: `${at}\n`, signal: `${SIGNALS[signal]}\n`, calls: '' };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(shim, name), content);
  chmodSync(join(shim, 'git'), 0o755);
  const child = spawn(process.execPath, [LAUNCHER, 'work', 'apply', item.id, mode], {
    cwd: item.repo,
    env: {
      PATH: `${shim}:${process.env['PATH']}`,
      REAL_PATH: process.env['PATH'],
      SHIM: shim,
      HOME: item.home,
      TMPDIR: join(item.home, 'tmp'),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      ANIMUS_HOME: item.home,
      DATABASE_URL: db.connectionString,
      ...sharedCompileCache(),
    },
    stdio: 'ignore',
    detached: true,
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  await eventually('all gits have ended', () => (readdirSync(join(shim, 'live')).some(isAlive) ? null : true));
  return { code, calls: readFileSync(join(shim, 'calls'), 'utf8').length };
}

function isAlive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

/** An item whose branch has diverged from `main`, with something left uncommitted. */
async function diverged(): Promise<HandedOver> {
  const item = await handOver(db.database, { commits: [{ 'b.txt': 'new\n' }], rest: { 'a.txt': LINE_5 } });
  write(item.repo, { 'c.txt': 'mine\n' });
  git(item.repo, 'add', '.');
  commit(item.repo, 'mine');
  return item;
}

/** Without the ids of commits, which contain the time. */
function contentOf(repo: string): string {
  const commits = git(repo, 'log', '--format=%an %s').split('\n').toSorted();
  return [...commits, git(repo, 'status', '--porcelain'), git(repo, 'rev-parse', 'HEAD^{tree}')].join('\n');
}

test.each(['--merge', '--squash', '--cherry-pick', '--patch'])(
  '%s, killed before each git',
  { timeout: 300_000 },
  async (mode) => {
    const item = await diverged();
    const before = stateOf(item.repo);
    const head = git(item.repo, 'rev-parse', 'HEAD');
    const { calls, code } = await apply(item, mode);
    expect(code).toBe(0);
    const after = contentOf(item.repo);
    git(item.repo, 'reset', '-q', '--hard', head);
    for (let at = 1; at <= calls; at++) {
      const { code: killed } = await apply(item, mode, at);
      expect([at, killed]).toEqual([at, null]);
      // The last one is the one that changes the checkout, and it goes on alone.
      if (at < calls) expect([at, stateOf(item.repo)]).toEqual([at, before]);
      else expect([at, contentOf(item.repo)]).toEqual([at, after]);
      git(item.repo, 'fsck', '--connectivity-only');
    }
  },
);

test('Ctrl-C at each git: nothing is changed, or what has begun is done', { timeout: 300_000 }, async () => {
  const item = await diverged();
  const before = stateOf(item.repo);
  const head = git(item.repo, 'rev-parse', 'HEAD');
  const { calls } = await apply(item, '--merge');
  const after = contentOf(item.repo);
  git(item.repo, 'reset', '-q', '--hard', head);
  for (let at = 1; at <= calls; at++) {
    const { code } = await apply(item, '--merge', at, 'INT');
    const state = at < calls ? stateOf(item.repo) : contentOf(item.repo);
    expect([at, code, state]).toEqual(at < calls ? [at, 130, before] : [at, 0, after]);
  }
});

test('killed while git writes the files: git goes on, and finishes', async () => {
  const item = await diverged();
  const head = git(item.repo, 'rev-parse', 'HEAD');
  await apply(item, '--merge');
  const after = contentOf(item.repo);
  git(item.repo, 'reset', '-q', '--hard', head);
  const shim = join(item.home, 'shim');
  const filter = join(item.home, 'smudge');
  writeFileSync(filter, `#!/bin/sh\nkill -s KILL -- "-$(cat "${shim}/pid")" && echo killed >> "${filter}.log"\ncat\n`, {
    mode: 0o755,
  });
  git(item.repo, 'config', 'filter.deadly.smudge', filter);
  writeFileSync(join(item.repo, '.git', 'info', 'attributes'), 'b.txt filter=deadly\n');
  expect((await apply(item, '--merge')).code).toBe(null);
  expect(readFileSync(`${filter}.log`, 'utf8')).toBe('killed\n');
  expect(contentOf(item.repo)).toBe(after);
});
