import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startConversation } from '../../../src/features/conversations/store/conversations.ts';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { createWorkspace } from '../../../src/features/conversations/store/workspaces.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { commit, git } from '../../support/worktree.ts';

/** A grace period longer than the tests wait, or almost none. */
const LONG = '[daemon]\npoll_seconds = 0.2\nfocus_host_grace_seconds = 600\n';
const SHORT = '[daemon]\npoll_seconds = 0.2\nfocus_host_grace_seconds = 0.1\n';
/** Writes a file, waits for the signal to continue, then reads the file. */
const SCRIPT = `
[[answer]]
text = "I make a file."
[[answer.call]]
tool = "bash"
input = { command = "COMMAND" }
[[answer]]
text = "I wait."
[[answer.call]]
tool = "wait_until"
input = { seconds = 3600, reason = "somebody else" }
[[answer]]
text = "I look at the file."
[[answer.call]]
tool = "bash"
input = { command = "cat committed.txt; cat kept.txt" }
[[answer]]
text = "Done."
`;
/** By the turns of the chain: the first answer makes the file, each later one looks at it. */
const LOOK = `[[answer.call]]
tool = "bash"
input = { command = "cat kept.txt" }
`;
const TALK = `
[[answer]]
turn = 1
text = "I make a file."
[[answer.call]]
tool = "bash"
input = { command = "COMMAND" }
[[answer]]
turn = 3
text = "I look at it."
${LOOK}
[[answer]]
turn = 5
text = "I look at it again."
${LOOK}
${[2, 4, 6].map((turn) => `[[answer]]\nturn = ${turn}\ntext = "Done."\n`).join('')}`;
const target = testDatabase();

test('a focus resumes on the host that has its files, even if another host has free slots', async () => {
  const home = await host('home', LONG, 'directory');
  const id = await parkedItem(target.database);
  const away = await host('away', LONG, 'directory');
  await wakeItem(target.database, id);
  await ended(target.database, id);
  expect(await hostsOf(target.database, id)).toEqual({ host: 'home', resumes: 1 });
  expect(away.events.filter((event) => event.workItemId === id)).toEqual([]);
  expect(await lastOutput(target.database, id)).toContain('made at home');
  expect(await noticesOf(target.database, id)).toEqual([]);
  await Promise.all([home.stop(), away.stop()]);
});

test('after the grace period it resumes elsewhere in an empty directory, and the model gets a notice', async () => {
  const home = await host('home', SHORT, 'directory');
  const id = await parkedItem(target.database);
  await home.stop();
  const away = await host('away', SHORT, 'directory');
  await wakeItem(target.database, id);
  await ended(target.database, id);
  expect(await hostsOf(target.database, id)).toEqual({ host: 'away', resumes: 1 });
  expect(await lastOutput(target.database, id)).toContain('No such file');
  expect(await noticesOf(target.database, id)).toEqual([
    'The work continues in an empty directory. The directory with your files is on another host or no longer exists. Create again what you still need.',
  ]);
  await away.stop();
});

test('a worktree that was handed over is made again elsewhere, with its uncommitted files, and the model gets a notice', async () => {
  const repo = newRepository();
  const home = await host('home', SHORT, 'worktree', repo);
  const id = await parkedItem(target.database);
  await home.stop();
  const away = await host('away', SHORT, 'worktree', repo);
  await wakeItem(target.database, id);
  await ended(target.database, id);

  expect(await hostsOf(target.database, id)).toEqual({ host: 'away', resumes: 1 });
  const seen = await lastOutput(target.database, id);
  expect(seen).toContain('committed at home');
  expect(seen).toContain('made at home');
  const [notice, ...more] = await noticesOf(target.database, id);
  expect(more).toEqual([]);
  expect(notice).toContain('was made again with everything that was handed over');
  expect(notice).toContain(`Before, the work was in ${worktreeOf(home)} on host home.`);
  const [item] = await target.database.query('select outcome from animus.work_items where id = $1', [id]);
  const branch = `animus/${id.slice(-12)}`;
  expect(item).toMatchObject({
    outcome: { worktree: { branch, commits: 2, changed_files: ['committed.txt', 'kept.txt'] } },
  });
  // The directory on the first host was not touched.
  expect(readFileSync(join(worktreeOf(home), 'kept.txt'), 'utf8')).toBe('made at home\n');
  await away.stop();
});

test('a worktree with changes that were not handed over waits for its host, and is not made again elsewhere', async () => {
  const repo = newRepository();
  const home = await host('home', SHORT, 'worktree', repo);
  const id = await parkedItem(target.database);
  await home.stop();
  // As after a kill of the daemon in the middle of the work.
  await target.database.query('update animus.worktrees set handed = false where id = $1', [id]);
  const away = await host('away', SHORT, 'worktree', repo);
  await wakeItem(target.database, id);
  await eventually(
    'the other host gives it back',
    () => away.lines.some((line) => line.includes('has changes of work item') && line.includes('on host home')) || null,
  );
  expect(existsSync(join(away.directory, 'home', 'worktrees', id.slice(-12)))).toBe(false);
  // A person gives the directory up: it goes on with what was handed over.
  await target.database.query(`update animus.worktrees set state = 'discarded' where id = $1`, [id]);
  await target.database.query(`update animus.work_items set run_at = animus.now() where id = $1`, [id]);
  await ended(target.database, id);
  expect(await lastOutput(target.database, id)).toContain('made at home');
  await away.stop();
});

test('the next answer of a conversation is given on the host that has its files; where that is gone, elsewhere with a notice', async () => {
  const home = await host('home', SHORT, 'directory', undefined, TALK);
  const workspaceId = await createWorkspace(target.database, 'default');
  const chat = await startConversation(target.database, { workspaceId, faculty: 'smith' });
  const say = async () => (await sayInConversation(target.database, chat, 'Go on')).workItemId;
  const first = await say();
  await ended(target.database, first);
  const away = await host('away', LONG, 'directory', undefined, TALK);
  const second = await say();
  await ended(target.database, second);
  expect(await hostsOf(target.database, second)).toMatchObject({ host: 'home' });
  expect(await lastOutput(target.database, second)).toContain('made at home');
  expect(await noticesOf(target.database, second)).toEqual([]);
  await home.stop();
  await target.database.query(
    `update animus.daemons set stopped_at = stopped_at - interval '1 h', seen_at = seen_at - interval '1 h' where host = 'home'`,
  );
  const third = await say();
  await ended(target.database, third);
  expect(await hostsOf(target.database, third)).toMatchObject({ host: 'away' });
  expect(await lastOutput(target.database, third)).toContain('No such file');
  expect(await noticesOf(target.database, third)).toEqual([
    'The work continues in an empty directory. The directory with your files is on another host or no longer exists. Create again what you still need.',
  ]);
  await away.stop();
});

/** A daemon that reports `name` as its host, with a separate home. */
function host(name: string, config: string, isolation: string, repo?: string, script = SCRIPT): Promise<TestDaemon> {
  const make = `echo made at ${name} > kept.txt`;
  const commit =
    `${make}; echo committed at ${name} > committed.txt; git add committed.txt; ` +
    `git -c user.name=t -c user.email=t@t commit -q -m one`;
  const placed = `isolation = "${isolation}"\n${repo === undefined ? '' : `repo = "${repo}"\n`}`;
  return startTestDaemon({
    databaseUrl: target.connectionString,
    host: name,
    config,
    script: script.replace('COMMAND', repo === undefined ? make : commit),
    files: {
      'faculties/smith.toml': `[faculty]\nname = "smith"\npermissions.bash = "auto"\n${placed}[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["bash"]\nbash_isolation = "none"\n`,
    },
  });
}

/** An item that has created its file and waits. */
async function parkedItem(db: Database): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('smith', 'Make a file') returning id`,
  );
  await eventually('the item waits', async () => {
    const [item] = await db.query<{ state: string }>('select state from animus.work_items where id = $1', [row!.id]);
    return item!.state === 'waiting' ? true : null;
  });
  return row!.id;
}

async function wakeItem(db: Database, id: string): Promise<void> {
  await db.query(`update animus.waits set deadline = animus.now() where work_item_id = $1`, [id]);
}

function ended(db: Database, id: string): Promise<true> {
  return eventually(
    'the item is completed',
    async () => {
      const [item] = await db.query<{ state: string }>('select state from animus.work_items where id = $1', [id]);
      return item!.state === 'completed' ? true : null;
    },
    25,
  );
}

/** The only one on this host. */
function worktreeOf({ directory }: TestDaemon): string {
  const root = join(directory, 'home', 'worktrees');
  const [name, ...more] = readdirSync(root).filter((each) => each !== '.place');
  expect(more).toEqual([]);
  return join(root, name!);
}

function newRepository(): string {
  const repo = mkdtempSync(join(tmpdir(), 'animus-repo-'));
  onTestFinished(() => rmSync(repo, { recursive: true, force: true }));
  git(repo, 'init', '-q', '-b', 'main');
  commit(repo, 'first');
  return repo;
}

async function hostsOf(db: Database, id: string): Promise<unknown> {
  const [focus] = await db.query('select host, resumes from animus.foci where work_item_id = $1', [id]);
  return focus;
}

/** The output of the last command. */
async function lastOutput(db: Database, id: string): Promise<string> {
  const [call] = await db.query<{ output: string }>(
    `select t.output from animus.tool_calls t join animus.foci f on f.id = t.focus_id
      where f.work_item_id = $1 and t.name = 'bash' order by t.turn desc limit 1`,
    [id],
  );
  return call!.output;
}

async function noticesOf(db: Database, id: string): Promise<string[]> {
  const rows = await db.query<{ content: string }>(
    `select m.content from animus.focus_messages m join animus.foci f on f.id = m.focus_id
      where f.work_item_id = $1 and m.kind = 'notice' order by m.seq`,
    [id],
  );
  return rows.map((row) => row.content);
}
