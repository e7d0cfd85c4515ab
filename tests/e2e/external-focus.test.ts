import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cancelWork } from '../../src/store/work/operate.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { sleepingProcesses } from '../support/sleeping-processes.ts';

const target = testDatabase();

test('a command does the work without a model: its input, its ledger, its outcome and its summary', async () => {
  const { run, seen, db } = await setUp(
    `cat > "$OUT"; echo '{"outcome": {"rows": 3}, "summary": "three rows", "ledger": [{"type": "finding", "content": "all there"}]}'`,
    { '[faculty.orient]': `command = "../orient.sh"` },
  );
  const item = await run('completed');
  expect(item).toMatchObject({ outcome: { rows: 3 }, outcome_summary: 'three rows', turns: 0, attempts: 0 });
  expect(seen()).toMatchObject({
    work_item: { description: 'count' },
    faculty: { workspace: expect.any(String) as string },
  });
  expect((seen() as { context: string }).context).toContain('the orient hook says hello');
  expect(
    await db.query('select entry_type, content from animus.work_ledger where work_item_id = $1', [item.id]),
  ).toEqual([{ entry_type: 'finding', content: 'all there' }]);
  expect(await db.query('select phase, ended_as from animus.foci where work_item_id = $1', [item.id])).toEqual([
    { phase: 'consolidate', ended_as: 'completed' },
  ]);
});

test('consolidate follows, and an outcome that is not an object is stored under value', async () => {
  const plain = await setUp(`echo '{"outcome": [1, null]}'`);
  expect(await plain.run('completed')).toMatchObject({ outcome: { value: [1, null] } });
  const checked = await setUp(`echo '{"outcome": {"n": 1}, "summary": "one"}'`, {
    '[faculty.consolidate]': `command = "../check.sh"`,
  });
  expect(await checked.run('completed')).toMatchObject({ outcome: { checked: true }, outcome_summary: 'one' });
});

test.each([
  ['exit 3', 'hook.failed', 'exit code 3'],
  ['echo "no such customer" >&2; exit 2', 'hook.blocked', 'no such customer'],
  ['kill -9 $$', 'hook.failed', 'SIGKILL'],
  ['sleep 60', 'hook.timeout', 'within 1 s'],
  ['true', 'hook.output', 'must print'],
  ['echo done', 'hook.output', 'not a JSON object: done'],
  [`printf '{"outcome": "\\377\\376"'`, 'hook.output', 'broken JSON'],
  ['head -c 3M /dev/zero', 'hook.output', '3145728 bytes'],
  [`echo '{"outcome": {"n": "many"}}'`, 'engage.outcome_invalid', '/n must be integer'],
])('a command that does not do it (%s) fails the attempt with %s', async (script, code, words) => {
  const { run } = await setUp(
    script,
    { '[faculty.recover]': 'max_attempts = 1' },
    'timeout_seconds = 1\noutcome_schema = "../s.json"',
  );
  const { error } = await run('dead');
  expect(error).toMatchObject({ code, phase: 'engage', message: expect.stringContaining(words) as string });
});

test('a failed attempt is retried by the policy of the faculty', async () => {
  const { run } = await setUp(
    `echo x >> "$OUT"; [ "$(wc -l < "$OUT")" -lt 2 ] && exit 1; echo '{"outcome": "second"}'`,
    {
      '[faculty.recover]': 'base_seconds = 0',
    },
  );
  expect(await run('completed')).toMatchObject({ attempts: 1, outcome: { value: 'second' } });
});

test('cancelling the work ends the command and all processes it started', async () => {
  const nap = `3600.${process.pid}1`;
  const { submit, untilState, db } = await setUp(`setsid sleep ${nap} & sleep ${nap}`);
  const id = await submit();
  await eventually('both sleep', () => (sleepingProcesses(nap) >= 2 ? true : null));
  await cancelWork(db, id, 'enough');
  await untilState(id, 'cancelled');
  expect(sleepingProcesses(nap)).toBe(0);
});

test('a lost lease ends the command, and its outcome is not written', async () => {
  const nap = `3600.${process.pid}2`;
  const { submit, db, lines } = await setUp(`sleep ${nap}; echo '{"outcome": 1}'`);
  const id = await submit();
  await eventually('it sleeps', () => (sleepingProcesses(nap) > 0 ? true : null));
  // The state that another daemon's claim would leave.
  await db.query('update animus.work_items set lease_token = lease_token + 1 where id = $1', [id]);
  await eventually('the focus is lost', () => lines().find((line) => line.includes('focus lost')) ?? null);
  expect(sleepingProcesses(nap)).toBe(0);
});

test('a daemon that stops gives it the grace time, then releases the work with its attempts unchanged', async () => {
  const nap = `3600.${process.pid}3`;
  const { submit, stop, item } = await setUp(`sleep ${nap}`);
  const id = await submit();
  await eventually('it sleeps', () => (sleepingProcesses(nap) > 0 ? true : null));
  await stop();
  expect(sleepingProcesses(nap)).toBe(0);
  expect(await item(id)).toMatchObject({ state: 'queued', attempts: 0, error: { code: 'work.released' } });
});

test('the lease is renewed as long as the command runs', async () => {
  const { submit, untilState, db, directory } = await setUp(
    `touch "$OUT"; until [ -e "$(dirname "$OUT")/go" ]; do sleep 0.1; done; echo '{"outcome": 1}'`,
  );
  const id = await submit();
  await eventually('it runs', () => (existsSync(join(directory, 'out.json')) ? true : null));
  const leaseEnd = async () => {
    const [row] = await db.query<{ at: Date }>('select lease_expires_at as at from animus.work_items where id = $1', [
      id,
    ]);
    return row!.at.getTime();
  };
  const first = await leaseEnd();
  await eventually(
    'it holds beyond the first lease',
    async () => ((await leaseEnd()) > first + 5000 ? true : null),
    30,
  );
  writeFileSync(join(directory, 'go'), '');
  expect(await untilState(id, 'completed')).toMatchObject({ attempts: 0 });
}, 180_000);

/** A faculty whose engage command is the script; `tables` are further tables of its file. */
async function setUp(script: string, tables: Readonly<Record<string, string>> = {}, engage = '') {
  const name = `f${crypto.randomUUID().slice(0, 8)}`;
  const further = Object.entries(tables).map(([header, body]) => `${header}\n${body}`);
  const text = [
    `[faculty]\nname = "${name}"\n[faculty.engage]\nmode = "external"\ncommand = "../work.sh"\n${engage}`,
    ...further,
  ].join('\n');
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: '[[answer]]\ntext = "no model is asked"\n',
    config: '[daemon]\npoll_seconds = 0.2\nlease_seconds = 5\nshutdown_grace_seconds = 1',
    files: {
      [`faculties/${name}.toml`]: text,
      'work.sh': '#!/bin/sh\n',
      'orient.sh': '#!/bin/sh\necho the orient hook says hello\n',
      'check.sh': `#!/bin/sh\necho '{"outcome": {"checked": true}}'\n`,
      's.json': '{"type": "object", "properties": {"n": {"type": "integer"}}}',
    },
  });
  const out = join(daemon.directory, 'out.json');
  daemon.write('work.sh', `#!/bin/sh\nOUT=${out}\n${script}\n`);
  const db = target.database;
  const submit = async () => {
    const [row] = await db.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ($1, 'count') returning id`,
      [name],
    );
    return row!.id;
  };
  const item = async (id: string) => {
    const [row] = await db.query('select * from animus.work_items where id = $1', [id]);
    return row as { id: string; state: string; error: unknown };
  };
  const untilState = (id: string, state: string) =>
    eventually(`${state}\n${daemon.lines.join('\n')}`, async () => {
      const now = await item(id);
      return now.state === state ? now : null;
    });
  return {
    run: async (state: string) => untilState(await submit(), state),
    seen: () => JSON.parse(readFileSync(out, 'utf8')) as unknown,
    submit,
    item,
    untilState,
    db,
    directory: daemon.directory,
    stop: daemon.stop,
    lines: () => daemon.lines,
  };
}
