/** Promise: a conversation also works with a command instead of a model, which gets all that was said, and with a worktree, which all answers share. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sweepHomes } from '../../../src/daemon/workspace/focus-home.ts';
import { startConversation } from '../../../src/features/conversations/store/conversations.ts';
import { editMessage, sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../../src/features/conversations/store/read-messages.ts';
import { createWorkspace } from '../../../src/features/conversations/store/workspaces.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const pg = testDatabase();
const CONFIG = '[daemon]\npoll_seconds = 0.2\n';

async function talkTo(faculty: string, whileAnswering: 'queue' | 'tell' = 'queue') {
  const workspaceId = await createWorkspace(pg.database, faculty);
  const id = await startConversation(pg.database, { workspaceId, faculty, whileAnswering });
  const answered = ({ workItemId }: { readonly workItemId: string }) =>
    eventually(
      'an answer',
      async () =>
        (await readConversation(pg.database, id)).find(
          (one) => one.role === 'assistant' && one.work_item_id === workItemId,
        ) ?? null,
    );
  const say = (text: string) => sayInConversation(pg.database, id, text);
  return { id, say, answered, ask: async (text: string) => answered(await say(text)) };
}

test('a command gets what was said before, once, and the message; an edit gives it the words that are left', async () => {
  const daemon = await startTestDaemon({
    databaseUrl: pg.connectionString,
    script: '[[answer]]\ntext = "not asked"\n',
    config: CONFIG,
    files: {
      'faculties/echo.toml':
        '[faculty]\nname = "echo"\n[faculty.engage]\nmode = "external"\ncommand = "../echo.sh"\n[faculty.awareness]\nenabled = false\n',
      // Keeps what it gets.
      'echo.sh': `#!/bin/sh\ncat > "$(dirname "$0")/in-$ANIMUS_FOCUS_ID"\necho '{"outcome": {"text": "heard"}}'\n`,
    },
  });
  const { say, answered, ask } = await talkTo('echo', 'tell');
  const questionsOf = async ({ work_item_id: item }: { readonly work_item_id: string | null }) => {
    const [focus] = await pg.database.query<{ id: string }>('select id from animus.foci where work_item_id = $1', [
      item,
    ]);
    const { context } = JSON.parse(readFileSync(join(daemon.directory, `in-${focus!.id}`), 'utf8'));
    return (context as string).match(/question-\w+|heard/g);
  };
  const first = await ask('question-one');
  expect(first).toMatchObject({ content: 'heard', ended_as: 'completed' });
  expect(await questionsOf(first)).toEqual(['question-one']);
  // A command reads no messages while it runs: they wait, although the conversation says otherwise.
  const [two, three] = [await say('question-two'), await say('question-three')];
  expect([two.told, three.told]).toEqual([false, false]);
  expect(await questionsOf(await answered(two))).toEqual(['question-one', 'heard', 'question-two']);
  expect(await questionsOf(await answered(three))).toEqual([
    'question-one',
    'heard',
    'question-two',
    'heard',
    'question-three',
  ]); // prettier-ignore
  const edited = await editMessage(pg.database, two.messageId, 'question-other');
  expect(await questionsOf(await answered(edited))).toEqual(['question-one', 'heard', 'question-other']);
  const chained = await pg.database.query('select from animus.foci where continues is not null');
  expect(chained).toEqual([]);
});

test('the commands of all answers share a HOME, which lasts as long as the conversation', async () => {
  const bash = (turn: number, command: string) =>
    `[[answer]]\nturn = ${turn}\n[[answer.call]]\ntool = "bash"\ninput = { command = "${command}" }\n[[answer]]\nturn = ${turn + 1}\ntext = "Done ${turn}."\n`;
  const daemon = await startTestDaemon({
    databaseUrl: pg.connectionString,
    script: bash(1, 'echo mine > ~/.kept') + bash(3, 'cat ~/.kept; ls -A'),
    config: CONFIG,
    files: {
      'faculties/homely.toml':
        '[faculty]\nname = "homely"\nisolation = "directory"\npermissions.bash = "auto"\n[faculty.awareness]\nenabled = false\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["bash"]\nbash_isolation = "none"\n',
    },
  });
  const { id, ask } = await talkTo('homely');
  await ask('Write');
  await ask('Read');
  const outputs = await pg.database.query<{ output: string }>(
    `select c.output from animus.tool_calls c join animus.foci f on f.id = c.focus_id join animus.work_items w on w.id = f.work_item_id
      where w.faculty = 'homely' order by c.turn`,
  );
  expect(outputs[1]!.output).toBe('exit code 0\nstdout:\nmine');
  const homes = join(daemon.directory, 'home/homes');
  expect(readdirSync(homes)).toEqual([`chat-${id}`]);
  await pg.database.query('update animus.files set deleted_at = animus.now() where id = $1', [id]);
  expect(await sweepHomes(pg.database, join(daemon.directory, 'home/foci'))).toBe(1);
  expect(readdirSync(homes)).toEqual([]);
});

test('all answers share a worktree and its branch', async () => {
  const repo = mkdtempSync(join(tmpdir(), 'animus-repo-'));
  onTestFinished(() => rmSync(repo, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repo, ...args], {
      env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '--allow-empty', '-m', 'first');
  const call = (turn: number, tool: string, input: string) =>
    `[[answer]]\nturn = ${turn}\n[[answer.call]]\ntool = "${tool}"\ninput = ${input}\n[[answer]]\nturn = ${turn + 1}\ntext = "Done ${turn}."\n`;
  await startTestDaemon({
    databaseUrl: pg.connectionString,
    script:
      call(1, 'write_file', '{ path = "a.txt", content = "from the first answer" }') +
      call(3, 'read_file', '{ path = "a.txt" }') +
      call(5, 'glob', '{ pattern = "*.{txt,chat}" }'),
    config: CONFIG,
    files: {
      'faculties/fixer.toml': `[faculty]\nname = "fixer"\nisolation = "worktree"\nrepo = "${repo}"\n[faculty.awareness]\nenabled = false\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["read_file", "write_file", "glob"]\n`,
    },
  });
  const { id, ask } = await talkTo('fixer');
  expect(await ask('Write')).toMatchObject({ content: 'Done 1.', ended_as: 'completed' });
  expect(await ask('Read')).toMatchObject({ content: 'Done 3.', ended_as: 'completed' });
  expect(await ask('Find')).toMatchObject({ content: 'Done 5.', ended_as: 'completed' });
  const outputs = await pg.database.query<{ output: string }>(
    `select c.output from animus.tool_calls c where c.name in ('read_file', 'glob') order by c.turn`,
  );
  expect(outputs[0]!.output).toContain('from the first answer');
  expect(outputs[1]!.output).toMatch(/^a\.txt\nchats\/\w+\.chat$/);
  const branches = git('branch', '--format=%(refname:short)').trim().split('\n');
  expect(branches).toEqual([`animus/${id.slice(-12)}`, 'main']);
  const notices = await pg.database.query(`select content from animus.focus_messages where kind = 'notice'`);
  expect(notices).toEqual([]);
  const outcomes = await pg.database.query<{ outcome: { worktree: { changed_files: string[] } } }>(
    `select outcome from animus.work_items where faculty = 'fixer' order by created_at`,
  );
  expect(outcomes.map(({ outcome }) => outcome.worktree.changed_files)).toEqual([['a.txt'], [], []]);
});
