/**
 * Promise: items that work in worktrees of one repository never touch each other's files, branches or stashes, whatever happens at the same time: parks
 * for approval, kills of the daemon, a second daemon, a person who uses `git worktree`.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Isolation } from '../../src/process/process-host.ts';
import { isolationModes } from '../process/isolation-modes.ts';
import { makeSite, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer } from '../support/model-server/either-wire.ts';
import { commit, git as gitOf } from '../support/worktree.ts';

/** The repository may belong to another user. */
const git = (directory: string, ...args: string[]) => gitOf(directory, '-c', 'safe.directory=*', ...args);
const modes = await isolationModes();
const pg = testDatabase({ anew: true });
/** The owner of the repository where commands run as another user. */
const OWNER = 23_456;

describe.each(modes)('with isolation %s', (isolation) => {
  test.each([
    { items: 2, at: 'once', daemons: 1, kills: 0 },
    { items: 5, at: 'a time, one after the other', daemons: 1, kills: 0 },
    { items: isolation === 'namespace' ? 20 : 6, at: 'once', daemons: 2, kills: 4 },
  ])(
    '$items items at $at, $daemons daemons, $kills kills',
    { timeout: 300_000 },
    async ({ items, at, daemons, kills }) => {
      const { site, repo, faculty } = await setUp(isolation, at === 'once' ? 4 : 1);
      const start = (n: number) => startDaemon(site, [], { ANIMUS_HTTP: 'off', N: String(n) });
      const running = await Promise.all(Array.from({ length: daemons }, (_, n) => start(n)));
      const ids = await Promise.all(Array.from({ length: items }, (_, n) => submit(faculty, n)));
      for (let n = 0; n < kills; n++) {
        const done = Math.floor(((n + 1) * items) / (kills + 2));
        await approveUntil(faculty, done);
        const [victim] = running.splice(0, 1);
        await victim!.kill('SIGKILL');
        person(isolation, repo, 'worktree', 'add', '-q', '-b', `mine-${n}`, join(site.directory, `mine-${n}`));
        person(isolation, repo, 'worktree', 'prune');
        running.push(await start(n));
      }
      await approveUntil(faculty, items);
      await Promise.all(running.map((daemon) => daemon.kill('SIGTERM')));
      for (const [n, id] of ids.entries()) await expectOwnWork(repo, site, id, n);
      expect(git(repo, 'stash', 'list')).toBe('');
      expect(git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1 + kills);
      expect(git(repo, 'fsck', '--no-dangling')).not.toMatch(/error|missing/);
    },
  );
});

/** Commits one file, stashes another, leaves a third uncommitted, then waits for a decision and looks at what is there. */
async function setUp(isolation: Isolation, maxConcurrent: number) {
  const server = await startModelServer((body) => {
    const said = JSON.stringify(body['messages']);
    const n = /item-(\d+) of the test/.exec(said)![1]!;
    // A call that a kill cut off is made again.
    const steps = said.match(/exit code 0|(?:Created|Wrote|Replaced|Overwrote) asked-/g)?.length ?? 0;
    const bash = (command: string) => ({ content: [toolUse(`c${n}-${crypto.randomUUID()}`, 'bash', { command })] });
    if (steps === 0) return bash(`echo ${n} > committed-${n}.txt && git add . && git commit -qm "commit ${n}"; true`);
    if (steps === 1) return bash(`echo ${n} > stashed-${n}.txt && git stash -qu; git tag -f tag-${n}`);
    if (steps === 2) return bash(`echo ${n} > left-${n}.txt; sleep 0.3`);
    if (steps === 3)
      return {
        content: [toolUse(`c${n}-${crypto.randomUUID()}`, 'write_file', { path: `asked-${n}.txt`, content: n })],
      };
    if (steps === 4) return bash('git status --short; git stash list; git log --format=%s; ls');
    return { content: [text(`Item ${n} is done.`)] };
  });
  onTestFinished(() => server.close());
  const faculty = `hand-${isolation}-${crypto.randomUUID().slice(0, 8)}`;
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl: pg.connectionString,
    config: '[daemon]\npoll_seconds = 0.2\nlease_seconds = 5\nhttp = "off"\n',
    faculties: {
      [faculty]: `[faculty]\nname = "${faculty}"\nmax_concurrent = ${maxConcurrent}\nisolation = "worktree"\nrepo = "../repo"
[faculty.awareness]\nenabled = false
[faculty.permissions]\nbash = "auto"\nwrite_file = "ask"
[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "You work."\ntools = ["bash", "write_file"]\nbash_isolation = "${isolation}"
[faculty.recover]\nmax_attempts = 3\n`,
    },
  });
  chmodSync(site.directory, 0o777);
  const repo = join(site.directory, 'repo');
  mkdirSync(repo);
  git(repo, 'init', '-q', '-b', 'main');
  writeFileSync(join(repo, 'README'), 'ours\n');
  git(repo, 'add', '.');
  commit(repo, 'first');
  if (isolation === 'uid') execFileSync('chown', ['-R', `${OWNER}:${OWNER}`, repo]);
  return { site, repo, faculty };
}

/** The owner of the repository, at work in it. */
function person(isolation: Isolation, repo: string, ...args: string[]): void {
  const user = isolation === 'uid' ? { uid: OWNER, gid: OWNER } : {};
  execFileSync('git', ['-C', repo, ...args], { ...user, env: { PATH: process.env['PATH'] }, stdio: 'ignore' });
}

async function submit(faculty: string, n: number): Promise<string> {
  const [row] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ($1, $2) returning id`,
    [faculty, `item-${n} of the test`],
  );
  return row!.id;
}

/** Approves what is asked until that many items have completed; fails if one ends otherwise. */
function approveUntil(faculty: string, items: number): Promise<true> {
  return eventually(
    `${items} items of ${faculty} complete`,
    async () => {
      await pg.database.query(
        `select animus.approve(w.work_item_id, w.ask_id, 'yes') from animus.waits w join animus.work_items i on i.id = w.work_item_id
          where i.faculty = $1 and w.kind = 'approval' and w.resolved_at is null`,
        [faculty],
      );
      const states = await pg.database.query<{ state: string; count: number }>(
        'select state, count(*)::int as count from animus.work_items where faculty = $1 group by state',
        [faculty],
      );
      const failed = await pg.database.query(
        `select w.state, f.number, f.error from animus.work_items w join animus.foci f on f.work_item_id = w.id
          where w.faculty = $1 and w.state in ('dead', 'cancelled') order by f.number`,
        [faculty],
      );
      expect(failed).toEqual([]);
      return (states.find(({ state }) => state === 'completed')?.count ?? 0) >= items ? true : null;
    },
    120,
  );
}

async function expectOwnWork(repo: string, site: Site, id: string, n: number): Promise<void> {
  const branch = `animus/${id.slice(-12)}`;
  const [item] = await pg.database.query<{ outcome: Record<string, unknown>; lost: string | null; handed: boolean }>(
    'select w.outcome, r.lost, t.handed from animus.work_items w join animus.worktrees t on t.id = w.id join animus.worktree_results r on r.work_item_id = w.id where w.id = $1',
    [id],
  );
  const files = [`asked-${n}.txt`, `committed-${n}.txt`, `left-${n}.txt`];
  const path = join(site.home, 'worktrees', id.slice(-12));
  expect(item, `item ${n}: ${JSON.stringify(item)}`).toMatchObject({
    lost: null,
    handed: true,
    outcome: { worktree: { branch, path, changed_files: files } },
  });
  expect(git(repo, 'diff', '--name-only', 'main', branch).split('\n')).toEqual(files);
  const subjects = git(repo, 'log', '--reverse', '--format=%s', branch, '--not', 'main').split('\n');
  // A command that a kill cut off may have committed, and the model repeats it.
  expect(new Set(subjects)).toEqual(new Set([`commit ${n}`, `Item ${n} is done.`]));
  const stash = git(repo, 'for-each-ref', '--format=%(refname)', `refs/animus/handed/${id.slice(-12)}/other/stash/`);
  expect(stash).not.toBe('');
  expect(existsSync(join(path, `left-${n}.txt`))).toBe(true);
}
