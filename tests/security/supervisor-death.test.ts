/**
 * Promise: a supervisor that dies or freezes during a command is an external failure. It uses up no attempt: the work is
 * released and continues, and a tool call that had started is in doubt.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startTestDaemon } from '../support/daemon.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const target = testDatabase();

/** Kills its supervisor, but only on the first attempt. */
const MURDER = `[ -e "$MARK" ] || { : >"$MARK"; kill -9 $PPID; sleep 60; }`;
/** Freezes its supervisor for longer than its time-out of a second, which the supervisor enforces, and longer than a heartbeat. */
const FREEZE = `[ -e "$MARK" ] || { : >"$MARK"; kill -STOP $PPID; setsid sh -c "sleep 2.5; kill -CONT $PPID" & sleep 0.2; }`;

const TROUBLES = [
  ['killed', MURDER, ''],
  ['frozen and thawed', FREEZE, '\ntimeout_seconds = 1'],
] as const;

test.each(TROUBLES)(
  'a supervisor %s under a hook of orient or consolidate burns no attempt',
  async (_, trouble, timeOut) => {
    for (const phase of ['orient', 'consolidate']) {
      const tables = { [`[faculty.${phase}]`]: `command = "../hook.sh"${timeOut}` };
      const { run } = await setUp({ tables, hook: `${trouble}\ncat >/dev/null` });
      expect(await run('completed'), phase).toMatchObject({ attempts: 0 });
    }
  },
);

test.each(TROUBLES)('a supervisor %s under an external engage burns no attempt', async (_, trouble, timeOut) => {
  const { run } = await setUp({
    engage: `mode = "external"\ncommand = "../hook.sh"${timeOut}`,
    hook: `${trouble}\necho '{"outcome": "done"}'`,
  });
  expect(await run('completed')).toMatchObject({ attempts: 0, outcome: { value: 'done' } });
});

test('a supervisor killed during a recover hook is not a decision: the hook runs again', async () => {
  const { run } = await setUp({
    tables: { '[faculty.recover]': 'command = "../hook.sh"\nmax_attempts = 2\nbase_seconds = 600' },
    engage: 'mode = "external"\ncommand = "../fail.sh"',
    hook: `${MURDER}\necho '{"action": "dead"}'`,
  });
  // If the default policy had decided, it would be scheduled in ten minutes.
  expect(await run('dead')).toMatchObject({ error: { code: 'hook.failed' } });
});

test("a supervisor killed during the daemon's own git uses up no attempt", async () => {
  // The first calls of git share a shell.
  const murder = MURDER.replace('$PPID', '$(cut -d " " -f 4 /proc/$PPID/stat)');
  const { run, lines } = await setUp({ faculty: `isolation = "worktree"\nrepo = "${repository()}"`, git: murder });
  expect(await run('completed')).toMatchObject({ attempts: 0 });
  expect(lines.join('\n')).toContain('the process supervisor ended');
});

test('a call of bash whose supervisor is killed is in doubt, and the model gets a result that says so', async () => {
  const { run, db } = await setUp({
    engage: 'tools = ["bash"]',
    script: `[[answer]]
[[answer.call]]
tool = "bash"
input = { command = "kill -9 $PPID; sleep 60" }
[[answer]]
text = "I saw it"
`,
  });
  const { id } = await run('completed');
  const [call] = await db.query(
    'select state, is_error, output from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1',
    [id],
  );
  expect(call).toMatchObject({
    state: 'in_doubt',
    is_error: true,
    output: expect.stringContaining('It may or may not have happened; check before you repeat it.') as string,
  });
});

interface Site {
  readonly faculty?: string;
  readonly engage?: string;
  readonly tables?: Readonly<Record<string, string>>;
  readonly hook?: string;
  /** What the first git on the daemon's PATH does before it runs the real git. */
  readonly git?: string;
  readonly script?: string;
}

async function setUp({ faculty = '', engage = '', tables = {}, hook = '', git, script }: Site) {
  const name = `f${crypto.randomUUID().slice(0, 8)}`;
  const parts = Object.entries(tables).map(([header, body]) => `${header}\n${body}`);
  const model = engage.includes('external') ? '' : 'model = "play/any"\nsystem_prompt = "Work."';
  const bin = mkdtempSync(join(tmpdir(), 'animus-bin-'));
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
  const mark = `MARK=${join(bin, 'mark')}`;
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: script ?? '[[answer]]\ntext = "done"\n',
    config: '[daemon]\npoll_seconds = 0.2\nlease_seconds = 5\nshutdown_grace_seconds = 1',
    files: {
      // Without isolation, a command can reach its supervisor.
      [`faculties/${name}.toml`]: `[faculty]\nname = "${name}"\npermissions.bash = "auto"\n${faculty}\n[faculty.engage]\nbash_isolation = "none"\n${model}\n${engage}\n${parts.join('\n')}`,
      'hook.sh': `#!/bin/sh\n${mark}\n${hook}\n`,
      'fail.sh': '#!/bin/sh\nexit 1\n',
    },
  });
  if (git !== undefined) {
    const path = process.env['PATH'] ?? '';
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${mark}\n${git}\nPATH=${path} exec git "$@"\n`, { mode: 0o755 });
    process.env['PATH'] = `${bin}:${path}`;
    onTestFinished(() => void (process.env['PATH'] = path));
  }
  const db = target.database;
  const run = async (state: string) => {
    const [row] = await db.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ($1, 'count') returning id`,
      [name],
    );
    return eventually(
      `${state}\n${daemon.lines.join('\n')}`,
      async () => {
        const [item] = await db.query<{ id: string; state: string }>('select * from animus.work_items where id = $1', [
          row!.id,
        ]);
        if (item!.state === 'dead' && state !== 'dead') throw new Error(JSON.stringify(item));
        return item!.state === state ? item! : null;
      },
      25,
    );
  };
  return { run, db, lines: daemon.lines };
}

function repository(): string {
  const directory = mkdtempSync(join(tmpdir(), 'animus-repo-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  execFileSync('git', ['init', '--quiet', directory]);
  return directory;
}
