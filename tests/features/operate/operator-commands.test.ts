import { beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../cli/run-cli.ts';
import { clearWork } from '../../support/clear-work.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
const animus = (...argv: string[]) => run(argv, { env: { DATABASE_URL: target.connectionString } });

beforeEach(async () => {
  await target.database.query('delete from animus.schedules; delete from animus.pauses; delete from animus.daemons');
  await clearWork(target.database);
});

describe('animus work cancel', () => {
  test('ends waiting work and its children, and stores the reason', async () => {
    const id = await insert({});
    await insert({ parent_id: id });
    const ran = await animus('work', 'cancel', id.slice(-12), '--reason', 'superseded');
    expect(ran).toMatchObject({ code: 0, stdout: `${id}  cancelled\n` });
    expect(await states()).toEqual(['cancelled', 'cancelled']);
    const [decision] = await target.database.query('select action, note from animus.decisions');
    expect(decision).toEqual({ action: 'cancel', note: 'superseded' });
    expect((await animus('work', 'cancel', id)).code).toBe(0);
  });

  test('refuses work that has ended in another state, and unknown ids', async () => {
    const id = await insert({});
    await target.database.query(
      `update animus.work_items set state = 'claimed', lease_owner = id, lease_expires_at = animus.now()`,
    );
    expect(JSON.parse((await animus('work', 'cancel', id, '--json')).stdout)).toEqual({
      id,
      state: 'claimed',
      cancelled: false,
    });
    await target.database.query(
      `update animus.work_items set state = 'dead', resolved_at = animus.now(), lease_owner = null, lease_expires_at = null`,
    );
    expect(await animus('work', 'cancel', id)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('is already dead'),
    });
    expect((await animus('work', 'cancel', 'ffffffffffff')).code).toBe(3);
  });
});

describe('animus work retry', () => {
  test('queues dead and cancelled work again, and nothing else', async () => {
    const id = await insert({});
    expect(await animus('work', 'retry', id)).toMatchObject({ code: 5, stderr: expect.stringContaining('is queued') });
    await animus('work', 'cancel', id);
    expect(await animus('work', 'retry', id)).toMatchObject({ code: 0, stdout: `${id}  queued\n` });
  });

  test('names the active item that does the same work already', async () => {
    const first = await insert({ dedup_key: 'k' });
    await animus('work', 'cancel', first);
    const second = await insert({ dedup_key: 'k' });
    const ran = await animus('work', 'retry', first, '--json');
    expect(JSON.parse(ran.stdout)).toEqual({ id: first, retried: false, active_id: second, state: 'queued' });
    expect((await animus('work', 'retry', first)).stdout).toContain(`already active as ${second}`);
  });
});

describe('animus pause and resume', () => {
  test('pause one faculty or all, report remaining pauses, and warn about a misspelt faculty', async () => {
    await target.database.query(
      `select animus.register_daemon(gen_random_uuid(), 'h', 1, '1', 4, '{"engineer": {}}', '[]')`,
    );
    const slip = await animus('pause', 'enginer');
    expect(slip).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        'no faculty is named enginer (did you mean engineer?); the pause stops nothing until one is',
      ),
    });
    await animus('resume', 'enginer');
    expect(await animus('pause', 'Engineer')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"Engineer" is not a valid faculty name: expected 1 to 63 lower-case letters'),
    });
    expect((await animus('pause', 'engineer', '--reason', 'red build')).stderr).toBe('');
    await animus('pause');
    expect((await animus('status')).stdout).toMatch(/Paused +every faculty[\s\S]*engineer: red build/);
    const resumed = await animus('resume', 'engineer');
    expect(resumed.stderr).toBe('animus: still paused: every faculty; resume with: animus resume\n');
    expect(JSON.parse((await animus('resume', '--json')).stdout)).toEqual({
      faculty: null,
      resumed: true,
      still_paused: [],
    });
    expect(await animus('resume')).toMatchObject({ code: 0, stderr: 'animus: every faculty was not paused\n' });
  });
});

describe('animus schedule', () => {
  test('add, list, pause, resume, run and remove', async () => {
    const added = await animus(
      'schedule',
      'add',
      'report',
      '0 9 * * MON-FRI',
      'scribe',
      'Write it',
      '--time-zone',
      'Europe/Berlin',
    );
    expect(added).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^report {2}added; first due at \d{4}.*Z \(in /),
    });
    const slip = await animus('schedule', 'add', 'slip', '@daily', 'scrib');
    expect(slip.stderr).toContain('no faculty is named scrib; its work waits until one is');
    await animus('schedule', 'remove', 'slip');
    const listed = await animus('schedule', 'list');
    expect(listed.stdout).toMatch(
      /report {2}0 9 \* \* MON-FRI {2}Europe\/Berlin {2}scribe {3}not computed yet {2}- .* Write it/,
    );
    expect((await animus('schedule', 'pause', 'report')).stdout).toBe('report  paused\n');
    expect((await animus('schedule', 'pause', 'report')).stdout).toBe('report  was already  paused\n');
    const { work_item_id } = JSON.parse((await animus('schedule', 'run', 'report', '--json')).stdout);
    expect(await target.database.query('select id, faculty, source from animus.work_items')).toEqual([
      { id: work_item_id, faculty: 'scribe', source: 'schedule' },
    ]);
    expect((await animus('schedule', 'resume', 'report')).stdout).toBe('report  active\n');
    await target.database.query(
      `insert into animus.schedule_runs (schedule, due_at, result, until_at, recorded_at)
       select 'report', now() - n * interval '1 h', 'missed', now(), now() from generate_series(1, 6) n`,
    );
    expect((await animus('schedule', 'remove', 'report')).stdout).toBe('report  removed, with 7 recorded runs\n');
    expect((await animus('schedule', 'list', '--json')).stdout).toBe('{\n  "schedules": []\n}\n');
  });

  test('add reads the description from standard input', async () => {
    const options = { env: { DATABASE_URL: target.connectionString }, stdin: 'Write it\nin two lines\n' };
    expect(await run(['schedule', 'add', 'report', '@daily', 'scribe', '-'], options)).toMatchObject({ code: 0 });
    const rows = await target.database.query('select description from animus.schedules');
    expect(rows).toEqual([{ description: 'Write it\nin two lines' }]);
  });

  test.each([
    [['add', 'x', '61 * * * *', 'a'], 2, 'Invalid value for minute: 61'],
    [['add', 'x', '* * * * *', 'a', '--time-zone', 'Berlin'], 2, 'time zone "Berlin": expected an IANA name'],
    [['add', 'x', '*', '*', '*', '*', '*', 'a'], 2, 'too many arguments'],
    [['add', 'x', '@daily', 'Bad'], 2, '"Bad" is not a valid faculty name'],
    [['add', 'x y', '@daily', 'a'], 2, '"x y" is not a valid schedule name'],
    [['add', 'x', '@daily', 'a', '--missed', 'never'], 2, '--missed: expected one of skip, once, all'],
    [['add', 'x', '@daily', 'a', '--params', '[]'], 2, '--params: expected a JSON object'],
    [['add', 'there', '@daily', 'a'], 5, 'a schedule named there already exists'],
    [['run', 'ther'], 3, 'no schedule named ther (did you mean there?)'],
    [['remove', 'x'], 3, 'no schedule named x'],
    [['pause', 'x'], 3, 'no schedule named x'],
  ])('%j is refused with exit code %i: %s', async (argv, code, words) => {
    await animus('schedule', 'add', 'there', '@daily', 'a');
    expect(await animus('schedule', ...argv)).toMatchObject({ code, stderr: expect.stringContaining(words) });
  });
});

async function insert(item: { parent_id?: string; dedup_key?: string }): Promise<string> {
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, parent_id, dedup_key) values ('engineer', $1, $2) returning id`,
    [item.parent_id ?? null, item.dedup_key ?? null],
  );
  return row!.id;
}

async function states(): Promise<unknown[]> {
  return (await target.database.query('select state from animus.work_items order by id')).map((row) => row['state']);
}
