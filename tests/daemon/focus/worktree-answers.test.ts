/** Promise: an answer of a conversation begins with the files that the answer before it on its branch left, also after a retry or an edit. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startConversation } from '../../../src/features/conversations/store/conversations.ts';
import { editMessage, retryMessage, sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { createWorkspace } from '../../../src/features/conversations/store/workspaces.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { commit, git } from '../../support/worktree.ts';

const pg = testDatabase();

const call = (turn: number, command: string) =>
  `[[answer]]\nturn = ${turn}\n[[answer.call]]\ntool = "bash"\ninput = { command = ${JSON.stringify(command)} }\n[[answer]]\nturn = ${turn + 1}\ntext = "Done."\n`;

test.each(['rest', 'none'])('with commit = "%s"', { timeout: 120_000 }, async (kind) => {
  const repo = mkdtempSync(join(tmpdir(), 'animus-repo-'));
  onTestFinished(() => rmSync(repo, { recursive: true, force: true }));
  git(repo, 'init', '-q', '-b', 'main');
  writeFileSync(join(repo, '.gitignore'), 'ignored\n');
  git(repo, 'add', '.');
  commit(repo, 'first');
  const faculty = `editor-${kind}`;
  // The first answer writes `one`, each answer after it `two` with a random word, and commits or leaves another file.
  const daemon = await startTestDaemon({
    databaseUrl: pg.connectionString,
    config: '[daemon]\npoll_seconds = 0.2\n',
    script:
      call(1, 'echo one > one; echo kept > ignored; git add one; git commit -qm one; echo left > left-1') +
      call(3, 'cat /proc/sys/kernel/random/uuid > two; git add two; git commit -qm two; cp two left-2'),
    files: {
      [`faculties/${faculty}.toml`]: `[faculty]\nname = "${faculty}"\nisolation = "worktree"\nrepo = "${repo}"\ncommit = "${kind}"\npermissions.bash = "auto"\n[faculty.awareness]\nenabled = false\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["bash"]\nbash_isolation = "none"\n`,
    },
  });
  const chat = await conversationWith(pg.database, faculty);
  const first = await chat.say('One');
  await chat.ended(first.workItemId);
  const second = await chat.say('Two');
  await chat.ended(second.workItemId);
  const path = join(daemon.directory, 'home', 'worktrees', chat.id.slice(-12));
  const discarded = readFileSync(join(path, 'two'), 'utf8');
  const filesOf = () =>
    readdirSync(path)
      .filter((name) => !name.startsWith('.'))
      .toSorted();
  expect(filesOf()).toEqual(['ignored', 'left-1', 'left-2', 'one', 'two']);
  const branch = `animus/${chat.id.slice(-12)}`;

  await chat.ended((await retryMessage(pg.database, second.messageId)).workItemId);
  // Made anew, on top of the first answer; what the discarded answer made is kept below refs/animus/answers.
  expect(readFileSync(join(path, 'two'), 'utf8')).not.toBe(discarded);
  expect(filesOf()).toEqual(['ignored', 'left-1', 'left-2', 'one', 'two']);
  expect(
    git(repo, 'log', '--format=%s', branch)
      .split('\n')
      .filter((subject) => subject === 'two'),
  ).toHaveLength(1);
  const answers = git(
    repo,
    'for-each-ref',
    '--format=%(objectname)',
    `refs/animus/answers/${chat.id.slice(-12)}`,
  ).split('\n');
  const kept = answers.map(
    (commit) => git(repo, 'ls-tree', '--name-only', commit).includes('two') && git(repo, 'show', `${commit}:two`),
  );
  expect(kept).toContain(discarded.trim());

  const edited = await editMessage(pg.database, first.messageId, 'One, otherwise');
  await chat.ended(edited.workItemId);
  // As at the beginning, and then the first answer again: nothing of the second.
  expect(filesOf()).toEqual(['ignored', 'left-1', 'one']);
  const rows = await eventually('the rows', async () =>
    pg.database.query('select lost from animus.worktree_results where worktree_id = $1 and lost is not null', [
      chat.id,
    ]),
  );
  expect(rows).toEqual([]);
});

async function conversationWith(db: Database, faculty: string) {
  const workspaceId = await createWorkspace(db, faculty);
  const id = await startConversation(db, { workspaceId, faculty });
  return {
    id,
    say: (words: string) => sayInConversation(db, id, words),
    ended: (item: string) =>
      eventually(`the answer of ${item}`, async () => {
        const [row] = await db.query<{ state: string }>('select state from animus.work_items where id = $1', [item]);
        return row!.state === 'completed' ? true : null;
      }),
  };
}
