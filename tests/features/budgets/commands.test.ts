import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { whyWaiting } from '../../../src/store/views/waiting.ts';
import { run } from '../../cli/run-cli.ts';
import { beginHeld, beginLimited, recordCost } from '../../support/budgets.ts';
import { clearWork } from '../../support/clear-work.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
const animus = (...argv: string[]) => run(argv, { env: { DATABASE_URL: target.connectionString } });

beforeEach(async () => {
  await target.database.query('delete from animus.budget_limits');
  await target.database.query('delete from animus.budget_accounts');
  await target.database.query('truncate animus.spend_calls, animus.spend_sums');
  await clearWork(target.database);
});

async function insert(): Promise<string> {
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('engineer') returning id`,
  );
  return row!.id;
}

describe('animus budget', () => {
  test('sets, lists and removes limits', async () => {
    const id = await insert();
    expect(await animus('budget', 'list')).toMatchObject({ code: 0, stdout: '' });
    expect(
      await animus('budget', 'set', '--item', id.slice(-12), '--usd', '12.5', '--on-exceeded', 'die'),
    ).toMatchObject({
      code: 0,
      stdout: `limited  item ${id}: $12.50\n`,
    });
    expect(await animus('budget', 'set', '--faculty', 'engineer', '--per', 'day', '--tokens', '1000000')).toMatchObject(
      { code: 0 },
    );
    const misspelt = await animus('budget', 'set', '--faculty', 'enginer', '--per', 'day', '--usd', '1');
    expect(misspelt).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('no faculty is named enginer; the limit applies to nothing until one is'),
    });
    await animus('budget', 'remove', '--faculty', 'enginer', '--per', 'day');
    expect(await animus('budget', 'set', '--appliance', '--per', 'month', '--usd', '400')).toMatchObject({ code: 0 });
    const { limits } = JSON.parse((await animus('budget', 'list', '--json')).stdout);
    expect(limits).toMatchObject([
      {
        scope: 'appliance',
        subject: null,
        period: 'month',
        unit: 'usd',
        amount: 400,
        used: 0,
        on_exceeded: null,
        origin: 'operator',
      },
      { scope: 'faculty', subject: 'engineer', period: 'day', unit: 'tokens', amount: 1_000_000 },
      { scope: 'item', subject: id, period: 'none', unit: 'usd', amount: 12.5, on_exceeded: 'die' },
    ]);
    expect((await animus('budget', 'list')).stdout).toMatch(/^LIMITS +SUBJECT +PER +LIMIT +SPENT +HELD +THEN +SET BY/);
    const shown = (await animus('budget', 'list')).stdout;
    expect(shown).toMatch(/appliance .* wait +\w+\n/);
    expect(shown).toMatch(/item .* die +\w+\n/);
    expect(await animus('budget', 'remove', '--item', id)).toMatchObject({ code: 0, stdout: `removed  item ${id}\n` });
    expect(await animus('budget', 'remove', '--item', id)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('has no limit'),
    });
  });

  test('limits that apply are in work show; those of which 80 % are used are in status', async () => {
    const work = await beginLimited(target.database, 'engineer');
    await beginHeld(target.database, work, 1, 0.84, 700);
    await recordCost(target.database, work, 1, 0.84, 700);
    const id = await insert();
    const quiet = await animus('status');
    expect(quiet.stdout).not.toContain('BUDGET');
    expect((await animus('work', 'show', id)).stdout).not.toContain('Budget');
    await animus('budget', 'set', '--item', id, '--usd', '2', '--on-exceeded', 'die');
    await animus('budget', 'set', '--faculty', 'engineer', '--per', 'day', '--usd', '1');
    await animus('budget', 'set', '--appliance', '--per', 'month', '--tokens', '1000');
    const { stdout } = await animus('work', 'show', id);
    expect(stdout).toContain('Budget\n  all work, per month: 700 tokens of 1,000 tokens spent (70 %); ends in ');
    expect(stdout).toContain('  faculty engineer, per day: $0.8400 of $1.00 spent (84 %); ends in ');
    expect(stdout).toContain('  this item: $0.00 of $2.00 spent (0 %); the work dies when it is used up\n');
    const status = await animus('status');
    expect(status.stdout).toMatch(
      /BUDGET +SPENT +HELD +LIMIT +ENDS\nfaculty engineer, per day +\$0\.8400 +- +\$1\.00 +84 % +in /,
    );
    expect(status.stdout).not.toContain('per month');
    const { budgets } = JSON.parse((await animus('status', '--json')).stdout);
    expect(budgets).toMatchObject([
      { scope: 'faculty', subject: 'engineer', unit: 'usd', period: 'day', spent: 0.84, held: 0, used: 0.84 },
    ]);
  });

  test('what is spent is shown apart from what is held, and a turn that has ended as what it has cost', async () => {
    const { database } = target;
    await animus('budget', 'set', '--faculty', 'engineer', '--per', 'day', '--usd', '2');
    const ended = await beginLimited(database, 'engineer');
    await beginHeld(database, ended, 1, 0.9);
    await recordCost(database, ended, 1, 0.05);
    const [row] = JSON.parse((await animus('budget', 'list', '--json')).stdout).limits;
    expect(row).toMatchObject({ spent: 0.05, held: 0, used: 0.05 });
    const open = await beginLimited(database, 'engineer');
    await beginHeld(database, open, 1, 0.9);
    expect((await animus('budget', 'list')).stdout).toMatch(/engineer +day +\$2\.00 +\$0\.0500 +\$0\.9000 /);
    expect((await animus('work', 'show', open.id)).stdout).toContain(
      'faculty engineer, per day: $0.0500 of $2.00 spent (2 %), $0.9000 held for turns under way; ends in ',
    );
    await animus('budget', 'set', '--faculty', 'engineer', '--per', 'day', '--usd', '1');
    expect((await animus('status')).stdout).toMatch(/engineer, per day +\$0\.0500 +\$0\.9000 +\$1\.00 +95 %/);
  });

  test('the inbox promises only what happens: a turn that does not fit into the whole limit does not go on tomorrow', async () => {
    const { database } = target;
    await animus('budget', 'set', '--faculty', 'engineer', '--per', 'day', '--usd', '0.3');
    const [small, large] = [await beginLimited(database, 'engineer'), await beginLimited(database, 'engineer')];
    await beginHeld(database, small, 1, 0.2);
    await recordCost(database, small, 1, 0.2);
    await beginHeld(database, small, 2, 0.2);
    await beginHeld(database, large, 1, 0.5);
    const inbox = async (id: string) => (await animus('inbox', id)).stdout;
    const ends = async (id: string) => (await whyWaiting(database, id))?.ends;
    expect(await inbox(small.id)).toMatch(
      /0\.\d+ spent so far, .*may cost 0\.2\n {2}until +in .* then the work goes on by itself/,
    );
    expect(await inbox(large.id)).toMatch(
      /more than the .* of a new day, so that one does not help\n {2}until +in 24 h, then the work dies/,
    );
    await parkWork(database, small);
    await parkWork(database, large);
    expect(await ends(small.id)).toBe(
      'an operator raises the limit; otherwise the work goes on by itself at the deadline',
    );
    expect(await ends(large.id)).toBe('an operator raises the limit; otherwise the work dies at the deadline');
  });

  test('a limit below one turn is refused with what one costs', async () => {
    const least = {
      usd: { amount: 0.05, says: '1000 tokens of play/x cost up to 0.05 USD' },
      tokens: { amount: 1000, says: 'max_tokens is 1000' },
    };
    await target.database.query(`select animus.register_daemon(gen_random_uuid(), 'here', 1, '0', 1, $1, '[]')`, [
      JSON.stringify({ engineer: { max: 1, least } }),
    ]);
    onTestFinished(async () => void (await target.database.query('delete from animus.daemons')));
    const set = (...argv: string[]) => animus('budget', 'set', ...argv);
    expect(await set('--faculty', 'engineer', '--per', 'day', '--usd', '0.01')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '0.01 USD is less than one answer of faculty engineer may cost: 1000 tokens of play/x cost up to 0.05 USD',
      ),
    });
    const id = await insert();
    expect((await set('--item', id, '--tokens', '999')).stderr).toContain('max_tokens is 1000');
    expect((await set('--appliance', '--per', 'day', '--usd', '0.049999')).code).toBe(2);
    expect(await target.database.query('select from animus.budget_limits')).toEqual([]);
    expect((await set('--item', id, '--usd', '0.05')).code).toBe(0);
  });

  test('the limit of a running item is in status once its focus was warned', async () => {
    const work = await beginLimited(target.database, 'engineer');
    const { id } = work;
    await animus('budget', 'set', '--item', id, '--usd', '2');
    await beginHeld(target.database, work, 1, 1.9);
    await recordCost(target.database, work, 1, 1.9);
    expect((await animus('status')).stdout).toMatch(
      new RegExp(`item ${id.slice(-12)} +\\$1\\.90 +- +\\$2\\.00 +95 % +-`),
    );
  });

  test('prints limits exactly, and one row for a limit that was raised by approval', async () => {
    const { database } = target;
    await animus('budget', 'set', '--faculty', 'tiny', '--per', 'day', '--usd', '0.000001');
    await animus('budget', 'set', '--faculty', 'engineer', '--per', 'day', '--usd', '0.0105');
    const work = await beginLimited(database, 'engineer');
    await beginHeld(database, work, 1, 0.02);
    await parkWork(database, work);
    await database.query(`select animus.approve($1, p_input => '{"add": 0.015}')`, [work.id]);
    const { stdout } = await animus('budget', 'list');
    expect(stdout).toMatch(/tiny +day +\$0\.000001 /);
    expect(stdout.match(/engineer/g)).toHaveLength(1);
    expect(stdout).toMatch(/engineer +day +\$0\.0255 .*, by approval from \$0\.0105, ends in /);
    expect((await animus('work', 'show', work.id)).stdout).toContain('of $0.0255 spent');
  });

  test.each([
    [['--faculty', 'a', '--per', 'day', '--usd', '0'], 'to stop work, pause it: animus pause a'],
    [['--appliance', '--per', 'day', '--tokens', '0'], 'to stop work, pause it: animus pause'],
  ])('refuses a limit of nothing, and says what to do instead: %j', async (argv, hint) => {
    const ran = await animus('budget', 'set', ...argv);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('would let no turn begin') });
    expect(ran.stderr).toContain(hint);
    expect(await target.database.query('select from animus.budget_limits')).toEqual([]);
  });

  test.each([
    [['--usd', '1'], /give one of --item/],
    [['--faculty', 'a', '--appliance', '--usd', '1'], /give one of --item/],
    [['--faculty', 'a', '--per', 'day'], /either --usd or --tokens/],
    [['--faculty', 'a', '--per', 'day', '--usd', '1', '--tokens', '1'], /either --usd or --tokens/],
    [['--each-item', 'a', '--per', 'day', '--usd', '1'], /--per can only be used with --faculty or --appliance/],
    [['--faculty', 'a', '--per', 'week', '--usd', '1'], /week/],
    [['--faculty', 'a', '--per', 'day', '--usd', '1e3'], /an amount such as/],
    [['--faculty', 'a', '--per', 'day', '--usd', '0.0000001'], /an amount such as 12\.50, at least 0\.000001/],
  ] as const)('refuses set %j', async (argv, message) => {
    const ran = await animus('budget', 'set', ...argv);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(await target.database.query('select from animus.budget_limits')).toEqual([]);
  });
});
