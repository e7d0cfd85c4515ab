/** Promise: where every call that writes has failed, the outcome of the work says so, to programs and to people. */
import { expect, test } from 'vitest';
import { run } from '../../../cli/run-cli.ts';
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();

/** Answers that each make one call; then the final one. */
const FAILS = call('write_file', '{ path = "/elsewhere/a.txt", content = "a" }');
const FAILS_TO_EDIT = call('edit_file', '{ path = "none.txt", old_string = "a", new_string = "b" }');
const FAILS_TO_REMOVE = call('remove_file', '{ path = "none.txt" }');
const FAILS_TO_PATCH = call('apply_patch', '{ patch = "nonsense" }');
const WRITES = call('write_file', '{ path = "a.txt", content = "a" }');
const READS = call('list_dir', '{ path = "." }');
const NOTES = call('ledger_append', '{ type = "plan", content = "Write." }');
const FAILING_COMMAND = call('bash', '{ command = "exit 1" }');
const COMMAND = call('bash', '{ command = "ls" }');
const WAIT = call('wait_until', '{ seconds = 3600, reason = "somebody else" }');

test('work whose every writing call failed says so: in the outcome, in `show`, at the end of `--wait`, in the log', async () => {
  const daemon = await start([NOTES, READS, FAILS, FAILS_TO_EDIT, FAILS_TO_REMOVE, FAILS_TO_PATCH, COMMAND]);
  const env = { DATABASE_URL: target.connectionString };
  const waited = await run(['work', 'submit', 'smith', 'Write it', '--wait', '--json'], { env });
  const { item } = JSON.parse(waited.stdout) as { item: { id: string; state: string; outcome: object } };
  expect(item).toMatchObject({ state: 'completed' });
  expect(item.outcome).toEqual({
    text: 'Done.',
    failed_writes: {
      calls: 4,
      tools: ['apply_patch', 'edit_file', 'remove_file', 'write_file'],
      last: expect.stringContaining('patch'),
    },
  });
  const sentence =
    /Outcome\n {2}nothing was written: all 4 calls that write failed \(apply_patch, edit_file, remove_file, write_file\); the last: .*\n {2}Done\.\n/;
  expect((await run(['work', 'show', item.id], { env })).stdout).toMatch(sentence);
  const again = await run(['work', 'submit', 'smith', 'Write it', '--wait'], { env });
  expect(again.stdout).toMatch(sentence);
  expect(daemon.lines.filter((line) => line.startsWith('warn focus completed') && sentenceIn(line))).toHaveLength(2);
});

test.each([
  ['no call that writes', [READS, NOTES, FAILING_COMMAND]],
  ['one that succeeded, and failures after it', [WRITES, FAILS]],
  ['a failure, and a success after it', [FAILS, WRITES]],
])('work with %s says nothing of it', async (_what, answers) => {
  await start(answers);
  expect(await outcomeOf(await submit())).toEqual({ text: 'Done.' });
});

test('a hook that makes an outcome of its own does not hide it', async () => {
  const hook = `#!/bin/sh\ncat >/dev/null; echo '{"outcome": {"mine": 1}}'\n`;
  await start([FAILS], '[faculty.consolidate]\ncommand = "./hook.sh"\n', { 'faculties/hook.sh': hook });
  expect(await outcomeOf(await submit())).toMatchObject({
    mine: 1,
    failed_writes: { calls: 1, tools: ['write_file'] },
  });
});

test('a call that a permission rule denies has not written either', async () => {
  await start([WRITES], '', {}, 'permissions.write_file = "forbid"\n');
  expect(await outcomeOf(await submit())).toMatchObject({ failed_writes: { calls: 1, tools: ['write_file'] } });
});

test('failures before a wait count after it', async () => {
  await start([FAILS, WAIT]);
  const id = await submit();
  await inState(id, 'waiting');
  await target.database.query(`update animus.waits set deadline = animus.now() where work_item_id = $1`, [id]);
  expect(await outcomeOf(id)).toMatchObject({ failed_writes: { calls: 1 } });
});

test('what an earlier attempt has written counts as written', async () => {
  const refuse = `#!/bin/sh\ncat >/dev/null; [ -e ../../../second ] && exit 0; : > ../../../second; echo no >&2; exit 2\n`;
  const hooks =
    '[faculty.consolidate]\ncommand = "./hook.sh"\n[faculty.recover]\nbackoff = "fixed"\nbase_seconds = 0.1\n';
  const again = `[[answer]]\nturn = 1\nwhen = { task_contains = "the last attempt failed" }\n${FAILS.slice('[[answer]]\n'.length)}`;
  await start([again, WRITES], hooks, { 'faculties/hook.sh': refuse });
  const id = await submit();
  expect(await outcomeOf(id)).toEqual({ text: 'Done.' });
  const states = await target.database.query<{ state: string }>(
    `select c.state from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1 order by f.number`,
    [id],
  );
  expect(states).toEqual([{ state: 'done' }, { state: 'failed' }]);
});

function call(tool: string, input: string): string {
  return `[[answer]]\n[[answer.call]]\ntool = "${tool}"\ninput = ${input}\n`;
}

function start(
  answers: readonly string[],
  more = '',
  files: Readonly<Record<string, string>> = {},
  head = '',
): Promise<TestDaemon> {
  const tools = '["write_file", "edit_file", "remove_file", "apply_patch", "list_dir", "bash"]';
  return startTestDaemon({
    databaseUrl: target.connectionString,
    config: '[daemon]\npoll_seconds = 0.2\n',
    script: [...answers, '[[answer]]\ntext = "Done."\n'].join(''),
    files: {
      'faculties/smith.toml': `[faculty]\nname = "smith"\nisolation = "directory"\npermissions.bash = "auto"\n${head}[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ${tools}\nbash_isolation = "none"\n${more}`,
      ...files,
    },
  });
}

async function submit(): Promise<string> {
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('smith') returning id`,
  );
  return row!.id;
}

async function outcomeOf(id: string): Promise<unknown> {
  await inState(id, 'completed');
  const [row] = await target.database.query<{ outcome: unknown }>(
    'select outcome from animus.work_items where id = $1',
    [id],
  );
  return row!.outcome;
}

function inState(id: string, state: string): Promise<true> {
  return eventually(`the item is ${state}`, async () => {
    const [item] = await target.database.query<{ state: string }>('select state from animus.work_items where id = $1', [
      id,
    ]);
    return item!.state === state ? true : null;
  });
}

function sentenceIn(line: string): boolean {
  return line.includes('nothing was written: all 4 calls that write failed');
}
