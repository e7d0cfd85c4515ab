/** A repository with what a daemon has handed over of an item's worktree, and the rows about it; made by hand. */

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Database } from '../../src/store/sql/database.ts';
import { git } from './worktree.ts';

/** What is in a directory: path → content; null: the file is deleted. */
export type Files = Readonly<Record<string, string | null>>;

export interface HandedOver {
  readonly id: string;
  /** The end of the id. */
  readonly name: string;
  readonly branch: string;
  /** The checkout of the operator, on `main`. */
  readonly repo: string;
  /** ANIMUS_HOME. */
  readonly home: string;
  /** The agent's directory. */
  readonly directory: string;
  readonly start: string;
  readonly tip: string;
  readonly rest: string | null;
  /** The id of the directory of worktrees. */
  readonly place: string;
}

interface Given {
  /** Where the repository is, below a directory of the test; default `repo`. */
  readonly at?: string;
  /** Of the repository's first commit, beside `a.txt` with ten lines; `*.log` is ignored. */
  readonly base?: Files;
  /** Each is a commit of the agent; default one that changes line 5 of `a.txt` and adds `b.txt`. */
  readonly commits?: readonly Files[];
  /** Left uncommitted; default nothing. */
  readonly rest?: Files;
  readonly holds?: readonly string[];
  readonly state?: string;
  readonly submittedBy?: string;
  readonly lost?: string;
  /** The item is still running. */
  readonly open?: boolean;
  /** The patch was too large to be stored. */
  readonly unstored?: boolean;
}

/** Ten lines. */
export const TEN = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('');
export const LINE_5 = TEN.replace('line 5', 'line five');

const AGENT = ['-c', 'user.name=engineer via animus', '-c', 'user.email=engineer@animus.invalid'];

/** Makes all of it in directories that are removed when the test has finished. */
export async function handOver(db: Database, given: Given = {}): Promise<HandedOver> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'animus-handed-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const repo = join(root, given.at ?? 'repo');
  mkdirSync(repo, { recursive: true });
  git(repo, 'init', '-q', '-b', 'main');
  appendFileSync(join(repo, '.git/config'), '[user]\n\tname = Olga\n\temail = olga@example.org\n');
  write(repo, { 'a.txt': TEN, '.gitignore': '*.log\n', ...given.base });
  git(repo, 'add', '-A');
  git(repo, 'commit', '-q', '-m', 'first');
  const start = tipOf(repo, 'main');
  const id = await insertItem(db, given);
  const name = id.slice(-12);
  const branch = `animus/${name}`;
  const place = randomUUID();
  const home = join(root, 'home');
  const directory = join(home, 'worktrees', name);
  mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
  writeFileSync(join(dirname(directory), '.place'), `${place}\n`);
  const { tip, rest } = work({ repo, directory, name, start }, given);
  await insertRows(db, { id, directory, place, repo, branch, start, tip, rest }, given);
  return { id, name, branch, repo, home, directory, start, tip, rest, place };
}

/** As an agent works in its private repository, and the daemon hands over. */
function work(
  { repo, directory, name, start }: Pick<HandedOver, 'repo' | 'directory' | 'name' | 'start'>,
  { commits, rest: left }: Given,
) {
  git(repo, 'clone', '-q', '--no-tags', repo, directory);
  git(directory, 'remote', 'remove', 'origin');
  git(directory, 'branch', '-q', '-m', 'main', `animus/${name}`);
  for (const [index, files] of (commits ?? [{ 'a.txt': LINE_5, 'b.txt': 'new\n' }]).entries()) {
    write(directory, files);
    git(directory, 'add', '-A');
    git(directory, ...AGENT, 'commit', '-q', '-m', `step ${index + 1}\n\nSubmitted-by: olga`);
  }
  const tip = tipOf(directory, `animus/${name}`);
  const handed = `refs/animus/handed/${name}`;
  const places = [`${handed}/branch`, `refs/heads/animus/${name}`, `refs/animus/placed/${name}`];
  git(repo, 'fetch', '-q', '--no-tags', directory, ...places.map((place) => `+HEAD:${place}`));
  git(repo, 'update-ref', `refs/animus/base/${name}`, start);
  if (left === undefined) return { tip, rest: null };
  write(directory, left);
  git(directory, 'add', '-A');
  git(directory, ...AGENT, 'commit', '-q', '-m', 'left uncommitted\n\nSubmitted-by: olga');
  const rest = tipOf(directory, `animus/${name}`);
  git(repo, 'fetch', '-q', '--no-tags', directory, `+HEAD:${handed}/rest`);
  git(directory, 'reset', '-q', '--mixed', tip);
  return { tip, rest };
}

/** The last commit of a branch. */
function tipOf(repo: string, branch: string): string {
  return readFileSync(join(repo, '.git/refs/heads', branch), 'utf8').trim();
}

async function insertItem(db: Database, { submittedBy, open }: Given): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('engineer') returning id`,
  );
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `update animus.work_items set submitted_by = coalesce($2, submitted_by), outcome_summary = 'Line five is a word', outcome = '{}',
              state = case when $3 then 'waiting' else 'completed' end, resolved_at = case when $3 then null else animus.now() end where id = $1::uuid`,
      [row!.id, submittedBy ?? null, open === true],
    );
  });
  return row!.id;
}

type Rows = Pick<HandedOver, 'id' | 'directory' | 'place' | 'repo' | 'branch' | 'start' | 'tip' | 'rest'>;

async function insertRows(db: Database, rows: Rows, { holds = [], state, lost, open, unstored }: Given): Promise<void> {
  const { id, directory, place, repo, branch, start, tip, rest } = rows;
  const patch = diff(repo, start, rest ?? tip);
  await db.query(
    `insert into animus.worktrees (id, work_item_id, faculty, host, path, place, repo, branch, base, state, holds, created_at, updated_at)
     values ($1, $1, 'engineer', $2, $3, $4, $5, $6, $7, $8, $9, animus.now(), animus.now())`,
    [id, hostname(), directory, place, join(repo, '.git'), branch, start, state ?? (open ? 'open' : 'kept'), holds],
  );
  await db.query(
    `insert into animus.worktree_results (work_item_id, worktree_id, start, tip, rest, patch, patch_bytes, ended, lost, updated_at)
     values ($1, $1, $2, $3, $4, $5, $6, $7, $8, animus.now())`,
    [id, start, tip, rest, unstored || patch.length === 0 ? null : patch, patch.length, open !== true, lost ?? null],
  );
}

/** Byte by byte, as it is stored. */
export function diff(repo: string, from: string, to: string): Buffer {
  return execFileSync('git', ['-C', repo, 'diff', '--binary', '--full-index', from, to], {
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  });
}

/** Writes files below a directory. */
export function write(directory: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(directory, path);
    if (content === null) rmSync(file);
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content, 'latin1');
    }
  }
}

/** All that a person sees of a checkout: where it is, what is changed, and every ref outside of refs/animus. */
export function stateOf(repo: string): string {
  return [
    git(repo, 'rev-parse', 'HEAD'),
    git(repo, 'status', '--porcelain', '--branch', '--untracked-files=all', '--ignored'),
    git(repo, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags', 'refs/stash'),
    git(repo, 'ls-files', '--stage'),
  ].join('\n');
}
