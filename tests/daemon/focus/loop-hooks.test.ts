import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { detectIsolation } from '../../../src/process/isolation.ts';
import { processesWith } from '../../process/live-processes.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();

const isolation = await detectIsolation();

/** Runs one item of a faculty with these hooks; returns its end and what is recorded. */
async function work(options: {
  readonly hooks: string;
  readonly script: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly head?: string;
  readonly engage?: string;
  readonly recover?: string;
}) {
  const name = `hooked_${randomUUID().slice(0, 8)}`;
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: options.script,
    files: {
      ...options.files,
      'faculties/hooked.toml': `
[faculty]
name = "${name}"
${options.head ?? ''}
[faculty.engage]
model = "play/script"
system_prompt = "p"
${options.engage ?? ''}
[faculty.hooks]
${options.hooks}
[faculty.recover]
${options.recover ?? 'max_attempts = 1'}
`,
    },
  });
  const [item] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ($1, 'work') returning id`,
    [name],
  );
  const ended = await eventually('the item ends', async () => {
    const [row] = await target.database.query<{ state: string; error: { code: string; message: string } | null }>(
      `select state, error from animus.work_items where id = $1 and state in ('completed', 'dead')`,
      [item!.id],
    );
    return row ?? null;
  });
  const ofFoci = (columns: string, table: string) =>
    target.database.query<Record<string, string>>(
      `select ${columns} from animus.foci f join animus.${table} t on t.focus_id = f.id where f.work_item_id = $1`,
      [item!.id],
    );
  return {
    ...daemon,
    ended,
    messages: await ofFoci('t.kind, t.after_turn, t.content', 'focus_messages'),
    calls: await ofFoci('t.name, t.state, t.output, t.input, t.final_input', 'tool_calls'),
    runs: await ofFoci('t.event, t.hook, t.decision, t.reason', 'hook_runs'),
  };
}

const CALL_BASH = (command: string) => `
[[answer]]
turn = 1
call = [{ tool = "bash", input = { command = ${JSON.stringify(command)} } }]
[[answer]]
turn = 2
text = "done"
`;

test('the hooks of a faculty, then those of the hooks directory, run where the focus works', async () => {
  const { ended, messages, calls, runs } = await work({
    script: CALL_BASH('echo one'),
    engage: 'tools = ["bash"]',
    hooks: `before_llm_call = [{ command = "./hooks/context.sh" }]
before_tool_call = [{ command = "./hooks/rewrite.sh", tools = ["bash"] }]`,
    files: {
      'faculties/hooks/context.sh': `#!/bin/sh
echo "{\\"decision\\":\\"modify\\",\\"patch\\":{\\"append\\":\\"$ANIMUS_PHASE $ANIMUS_EVENT of $ANIMUS_FACULTY\\"}}"`,
      'faculties/hooks/rewrite.sh': `#!/bin/sh
echo '{"decision":"modify","patch":{"command":"echo two; pwd"}}'`,
      'home/hooks.d/before_tool_call/10-judge': '#!/bin/sh\ngrep -q "echo two" || { echo "only two" >&2; exit 2; }',
      'home/hooks.d/after_tool_call/10-mask': `#!/bin/sh
here=$(pwd); echo "{\\"decision\\":\\"modify\\",\\"patch\\":{\\"content\\":\\"in $here\\"}}"`,
    },
  });
  expect(ended).toMatchObject({ state: 'completed', error: null });
  const added = messages.filter(({ kind }) => kind === 'hook');
  expect(added.map(({ after_turn }) => after_turn)).toEqual([0, 1]);
  expect(added[0]!.content).toContain('engage before_llm_call of hooked_');
  expect(calls).toMatchObject([
    { state: 'done', input: { command: 'echo one' }, final_input: { command: 'echo two; pwd' } },
  ]);
  expect(calls[0]!.output).toMatch(/^\[The input of this call was changed .*\]\nin \/.*\/foci\/[0-9a-f-]+$/);
  expect(runs.map(({ event, hook, decision }) => `${event} ${hook} ${decision}`).toSorted()).toEqual([
    'after_tool_call 10-mask modify',
    'before_llm_call context.sh modify',
    'before_llm_call context.sh modify',
    'before_tool_call 10-judge allow',
    'before_tool_call rewrite.sh modify',
  ]);
});

test('a blocked request ends the attempt, which is retried, and the reason is told to the next one', async () => {
  const { ended, messages } = await work({
    script: '[[answer]]\ntext = "done"',
    hooks: 'before_llm_call = [{ command = "./hooks/first-time.sh" }]',
    recover: 'max_attempts = 2\nbase_seconds = 0\nmax_seconds = 0',
    files: {
      'faculties/hooks/first-time.sh': `#!/bin/sh
grep -q "not in office hours" || { echo "not in office hours" >&2; exit 2; }`,
    },
  });
  expect(ended).toMatchObject({ state: 'completed' });
  expect(messages.at(-1)!.content).toContain('(engage.hook_blocked)');
});

test('a rule judges the input that the hooks left: a call that they made forbidden is refused', async () => {
  const { ended, calls, runs } = await work({
    script: CALL_BASH('git status'),
    engage: 'tools = ["bash"]',
    hooks:
      'before_tool_call = [{ command = "./hooks/rewrite.sh" }]\nafter_tool_call = [{ command = "./hooks/rewrite.sh" }]',
    recover: 'max_attempts = 1\n[faculty.permissions]\n"bash(git push*)" = "forbid"',
    files: {
      'faculties/hooks/rewrite.sh': `#!/bin/sh
echo '{"decision":"modify","patch":{"command":"git push --force"}}'`,
    },
  });
  expect(ended).toMatchObject({ state: 'completed' });
  expect(calls).toMatchObject([{ state: 'denied', input: { command: 'git status' } }]);
  expect(calls[0]!.output).toContain('git push');
  expect(runs).toMatchObject([{ event: 'before_tool_call', decision: 'modify' }]);
});

test('cancelled work ends while a hook hangs that ignores SIGTERM, and nothing of it stays', async () => {
  const token = randomUUID();
  const name = `hanging_${token.slice(0, 8)}`;
  await startTestDaemon({
    databaseUrl: target.connectionString,
    script: CALL_BASH('true'),
    files: {
      'faculties/hang.sh': `#!/bin/sh\ntrap "" TERM; : ${token}\nwhile true; do sleep 0.1; done\n`,
      'faculties/x.toml': `[faculty]\nname = "${name}"\n[faculty.engage]\nmodel = "play/script"\nsystem_prompt = "p"
tools = ["bash"]\n[faculty.hooks]\nbefore_tool_call = [{ command = "./hang.sh", args = ["${token}"], timeout_seconds = 600 }]\n`,
    },
  });
  const [item] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ($1, 'work') returning id`,
    [name],
  );
  await eventually('the hook runs', () => (processesWith(token).length > 0 ? true : null));
  await target.database.query(`select animus.cancel_work($1, 'not needed')`, [item!.id]);
  await eventually('the work is cancelled', async () => {
    const [row] = await target.database.query<{ state: string }>(`select state from animus.work_items where id = $1`, [
      item!.id,
    ]);
    return row!.state === 'cancelled' ? true : null;
  });
  await eventually('its processes are gone', () => (processesWith(token).length === 0 ? true : null));
});

test.runIf(isolation === 'namespace')(
  'an agent can change neither its hooks nor the directories of hooks',
  async () => {
    const guard = '#!/bin/sh\necho judged >&2\nexit 0\n';
    const { directory, calls, runs } = await work({
      head: 'workspace = ".."',
      engage: 'tools = ["bash", "write_file"]',
      hooks: 'before_tool_call = [{ command = "./hooks/guard.sh" }]',
      files: { 'faculties/hooks/guard.sh': guard, 'home/hooks.d/after_tool_call/a': guard },
      script: `
[[answer]]
turn = 1
[[answer.call]]
tool = "write_file"
input = { path = "faculties/hooks/guard.sh", content = "#!/bin/sh" }
[[answer.call]]
tool = "write_file"
input = { path = "faculties/hooks/helper.sh", content = "#!/bin/sh" }
[[answer.call]]
tool = "write_file"
input = { path = "home/hooks.d/before_tool_call/b", content = "#!/bin/sh" }
[[answer.call]]
tool = "bash"
input = { command = """cd "$PWD"; for c in 'echo > faculties/hooks/guard.sh' 'rm -f faculties/hooks/guard.sh' 'mv faculties/hooks faculties/x' 'touch faculties/hooks/y' 'chmod -x faculties/hooks/guard.sh' 'rm -rf home/hooks.d/after_tool_call' 'mkdir -p home/hooks.d/before_tool_call' 'echo > home/hooks.d/after_tool_call/b' 'mv home/hooks.d home/x'; do sh -c "$c" 2>/dev/null && echo "DID $c"; done; echo ended""" }
[[answer]]
turn = 2
text = "done"
`,
    });
    expect(calls.map(({ name, state }) => `${name} ${state}`).toSorted()).toEqual([
      'bash done',
      'write_file failed',
      'write_file failed',
      'write_file failed',
    ]);
    const [bash] = calls.filter(({ name }) => name === 'bash');
    expect(bash!.output).toContain('ended');
    expect(bash!.output).not.toContain('DID');
    expect(readFileSync(join(directory, 'faculties/hooks/guard.sh'), 'utf8')).toBe(guard);
    expect(existsSync(join(directory, 'faculties/hooks/helper.sh'))).toBe(false);
    expect(existsSync(join(directory, 'home/hooks.d/before_tool_call'))).toBe(false);
    expect(runs).toHaveLength(8);
  },
);
