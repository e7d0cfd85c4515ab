/** Promise: work of mode `code` runs its code or command once in the sandbox, and its outcome says how that ended. The sandbox is a function of the test. */
import { beforeEach, expect, it, vi } from 'vitest';
import type { Execution } from '../../../src/sandbox/sandbox.ts';
import { whyWaiting } from '../../../src/store/views/waiting.ts';
import { startTestDaemon, type TestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { played } from '../../support/played-sandbox.ts';

const target = testDatabase();

vi.mock(
  '../../../src/daemon/open-containers.ts',
  async () => (await import('../../support/played-sandbox.ts')).playedContainers,
);

beforeEach(() => {
  played.specs = [];
  played.code = async () => ({ value: '42' });
});

const start = (engage = '', more = ''): Promise<TestDaemon> =>
  startTestDaemon({
    databaseUrl: target.connectionString,
    config: '[daemon]\npoll_seconds = 0.2\n',
    script: '[[answer]]\ntext = "unused"\n',
    files: {
      'faculties/runner.toml': `[faculty]\nname = "runner"\n[faculty.engage]\nmode = "code"\n${engage}[faculty.recover]\nmax_attempts = 2\nbase_seconds = 0\n${more}`,
    },
  });

async function submit(params: object): Promise<string> {
  const sql = `insert into animus.work_items (faculty, params) values ('runner', $1::jsonb) returning id`;
  const [row] = await target.database.query<{ id: string }>(sql, [JSON.stringify(params)]);
  return row!.id;
}

interface Item {
  readonly state: string;
  readonly outcome: Record<string, unknown> | null;
  readonly outcome_summary: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly attempts: number;
}

async function item(id: string): Promise<Item> {
  const sql = `select state, outcome, outcome_summary, error, attempts from animus.work_items w where id = $1`;
  const [row] = await target.database.query<Item>(sql, [id]);
  return row!;
}

const ended = (id: string): Promise<Item> =>
  eventually('it has ended', async () => {
    const now = await item(id);
    return ['completed', 'dead', 'cancelled'].includes(now.state) ? now : null;
  });

const print = (stdout: string): Partial<Execution> => ({ stdout: { text: stdout, bytes: Buffer.byteLength(stdout) } });

it('runs Python once, without a model, and the outcome has its value and what it printed', async () => {
  await start();
  played.code = async () => ({ ...print('six times seven\n'), value: '{"answer": 42}' });
  const { state, outcome, outcome_summary: summary } = await ended(await submit({ code: 'return {"answer": 6 * 7}' }));
  expect({ state, outcome }).toEqual({
    state: 'completed',
    outcome: {
      exit_status: 0,
      ended: 'exited',
      value: { answer: 42 },
      stdout: 'six times seven\n',
      stdout_bytes: 16,
      stderr: '',
      stderr_bytes: 0,
      files: [],
      duration_ms: expect.any(Number) as number,
    },
  });
  expect(summary).toMatch(/^exit status 0 after \d\.\d s$/);
  expect(played.specs).toMatchObject([{ code: 'return {"answer": 6 * 7}', tools: [], timeoutMs: 300_000 }]);
  const calls = await target.database.query(
    `select provider, model, name, c.state, c.input from animus.tool_calls c join animus.turns using (focus_id, turn)`,
  );
  expect(calls).toEqual([
    {
      provider: 'animus',
      model: 'code',
      name: 'execute_code',
      state: 'done',
      input: { code: 'return {"answer": 6 * 7}' },
    },
  ]);
});

it('runs a command, as an argument list or a shell line, within the time-out of the faculty', async () => {
  await start('code_execution_timeout = 20\n');
  played.code = async () => ({ value: '3' });
  const failing = await ended(await submit({ command: ['sh', '-c', 'exit 3'], timeout_seconds: 5 }));
  expect(failing).toMatchObject({ state: 'completed', outcome: { exit_status: 3, ended: 'exited' } });
  await ended(await submit({ command: 'ls "a b"', timeout_seconds: 100 }));
  expect(played.specs.map(({ timeoutMs }) => timeoutMs)).toEqual([5000, 20_000]);
  expect(played.specs[0]!.code).toContain('argv = ["sh", "-c", "exit 3"]');
  expect(played.specs[1]!.code).toContain(String.raw`argv = ["/bin/sh", "-c", "ls \"a b\""]`);
});

it('an exception, a time-out and a limit are outcomes, too', async () => {
  await start();
  const outcomeOf = async (execution: Partial<Execution>) => {
    played.code = async () => execution;
    return (await ended(await submit({ code: 'x' }))).outcome;
  };
  expect(await outcomeOf({ ended: 'raised', traceback: 'NameError' })).toMatchObject({
    exit_status: 1,
    traceback: 'NameError',
  });
  expect(await outcomeOf({ ended: 'raised', exitStatus: 7 })).toMatchObject({ exit_status: 7, ended: 'exited' });
  expect(await outcomeOf({ ended: 'timeout' })).toMatchObject({ exit_status: 124, ended: 'timeout' });
  expect(await outcomeOf({ ended: 'limit', problem: 'no memory' })).toMatchObject({
    exit_status: 137,
    problem: 'no memory',
  });
});

it('keeps as artifacts what it left, and output that is long or no text', async () => {
  await start();
  played.code = async (_call, { live }) => {
    live?.onOutput('stdout', Buffer.from('a'.repeat(100_000)));
    live?.onOutput('stderr', Buffer.from([0xff, 0xfe]));
    return {
      stdout: { text: `${'a'.repeat(30_000)}\n[…]\n${'a'.repeat(30_000)}`, bytes: 100_000 },
      stderr: { text: '\ufffd\ufffd', bytes: 2 },
      files: [{ name: 'stdout', bytes: Buffer.from('mine') }],
    };
  };
  const id = await submit({ code: 'x' });
  const { outcome } = await ended(id);
  const rows = await target.database.query<{ id: string; name: string; bytes: number }>(
    'select id, name, bytes::int from animus.artifacts where work_item_id = $1 order by bytes',
    [id],
  );
  expect(rows.map(({ name, bytes }) => [name, bytes])).toEqual([
    ['stderr', 2],
    ['stdout', 4],
    ['stdout', 100_000],
  ]);
  expect(outcome).toMatchObject({
    stderr_artifact: rows[0]!.id,
    files: [{ name: 'stdout', bytes: 4, artifact_id: rows[1]!.id }],
    stdout_artifact: rows[2]!.id,
    stdout: expect.stringContaining('[… 67232 bytes left out …]') as string,
  });
});

it('params that are not code end the work at once, with the reason', async () => {
  await start();
  for (const params of [{}, { code: 'x', command: 'y' }, { comand: 'ls' }, { command: [] }, { command: ['a\0'] }]) {
    const text = JSON.stringify(params).replace('\\u0000', '');
    const { state, error, attempts } = await ended(await submit(JSON.parse(text) as object));
    const fine = text === '{"command":["a"]}';
    expect([state, error?.code ?? null, attempts]).toEqual(fine ? ['completed', null, 0] : ['dead', 'code.invalid', 1]);
  }
});

it('code calls the tools that its faculty lists, and no others', async () => {
  const daemon = await start('tools = ["read_file", "write_file"]\n');
  played.code = async (call, { tools }) => {
    const wrote = await call('write_file', { path: 'a.txt', content: 'x' });
    return { value: JSON.stringify([tools.map(({ name }) => name), wrote.isError]) };
  };
  const { outcome } = await ended(await submit({ code: 'x' }));
  expect(outcome).toMatchObject({ value: [['read_file', 'write_file'], false] });
  expect(daemon.lines.filter((line) => line.startsWith('error'))).toEqual([]);
});

it('waits while no engine answers, and runs once one does', async () => {
  const daemon = await start();
  const down = async (): Promise<Partial<Execution>> => ({
    ended: 'unavailable',
    problem: 'cannot reach the Docker engine',
  });
  played.code = down;
  const id = await submit({ code: 'x' });
  const waiting = await eventually('it waits', async () => {
    const now = await item(id);
    return now.state === 'scheduled' ? now : null;
  });
  expect(waiting).toMatchObject({
    error: { code: 'work.released', cause: 'sandbox.unavailable', message: 'cannot reach the Docker engine' },
    attempts: 0,
  });
  await eventually('the daemon reports it', async () => {
    const rows = await target.database.query("select animus.status() -> 'daemons' as daemons");
    return JSON.stringify(rows).includes('faculty runner has been waiting') ? true : null;
  });
  expect(await whyWaiting(target.database, id)).toMatchObject({ reason: 'provider' });
  expect(played.specs).toHaveLength(1);
  // Another daemon holds nothing against the faculty.
  await daemon.stop();
  played.code = async () => ({ value: '1' });
  await target.database.query('update animus.work_items set run_at = animus.now() where id = $1', [id]);
  await start();
  expect(await ended(id)).toMatchObject({ state: 'completed', outcome: { value: 1 } });
  expect(played.specs).toHaveLength(2);
});

it('code that was interrupted is in doubt: dead, and run again by a retry only', async () => {
  await start();
  played.code = async () => ({ ended: 'killed', problem: 'the engine went away' });
  const id = await submit({ code: 'x' });
  expect(await ended(id)).toMatchObject({
    state: 'dead',
    error: { code: 'code.in_doubt', message: expect.stringContaining('the engine went away') as string },
  });
  expect(played.specs).toHaveLength(1);
  played.code = async () => ({ value: '1' });
  await target.database.query('select animus.retry_work($1)', [id]);
  expect(
    await eventually('it ran', async () => ((await item(id)).state === 'completed' ? item(id) : null)),
  ).toMatchObject({ outcome: { value: 1 } });
});

it('a cancel stops it', async () => {
  await start();
  let stopped = false;
  played.code = (_call, _spec, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        stopped = true;
        resolve({ ended: 'killed', problem: 'stopped' });
      });
    });
  const id = await submit({ code: 'x' });
  await eventually('it runs', () => played.specs.length === 1 || null);
  await target.database.query(`select animus.cancel_work($1, 'enough')`, [id]);
  expect(await ended(id)).toMatchObject({ state: 'cancelled' });
  expect(stopped).toBe(true);
});

it('a rule that asks has a person approve the code before it runs', async () => {
  await start('', '[faculty.permissions]\nexecute_code = "ask"\n');
  const id = await submit({ code: 'x' });
  await eventually('it waits', async () => ((await item(id)).state === 'waiting' ? true : null));
  expect(played.specs).toEqual([]);
  const [wait] = await target.database.query<{ ask_id: string }>(
    'select ask_id from animus.waits where work_item_id = $1',
    [id],
  );
  await target.database.query('select animus.approve($1, $2)', [id, wait!.ask_id]);
  expect(await ended(id)).toMatchObject({ state: 'completed', outcome: { value: 42 } });
});
