/** Promise: the doctor finds what somebody has damaged by hand, and what it says helps. */
import { describe, expect, test } from 'vitest';
import { openWait, parkWork } from '../../../../src/store/transcript/waits.ts';
import { registerDaemon } from '../../../../src/store/work/daemons.ts';
import { schemaText } from '../../../store/migrations/schema-text.ts';
import { claimOne, emptyQueue, faculties, insertWork } from '../../../store/work/queue-driver.ts';
import { beginFocus, recordCalls } from '../../../support/begun-focus.ts';
import { testDatabase } from '../../../support/database.ts';
import { run } from '../../run-cli.ts';
import { examinedSite, FACULTY } from '../examined-site.ts';

const site = examinedSite();

async function examined(databaseUrl: string, ...argv: string[]) {
  site.write({ 'faculties/clerk.toml': FACULTY.replace(/fallback.*\n/, '') });
  const { code, findings } = await site.doctor(argv, { databaseUrl });
  const problems = findings.filter(({ state }) => state === 'problem');
  expect(code).toBe(problems.length > 0 ? 1 : 0);
  return { findings, problems: problems.map(({ check, detail, remedy }) => ({ check, detail, remedy })) };
}

async function animus(databaseUrl: string, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(argv, {
    cwd: site.cwd,
    env: { ...site.env(), DATABASE_URL: databaseUrl },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('a database that is not migrated', () => {
  const empty = testDatabase({ empty: true, anew: true });

  test('is said to be, also with the API on', async () => {
    site.write({ 'animus.toml': '[http]\napi = true\n' });
    const { problems } = await examined(empty.connectionString);
    expect(problems).toEqual([
      { check: 'schema', detail: 'the database has no animus schema', remedy: 'run: animus db migrate' },
      { check: 'pgmq', detail: 'not installed', remedy: expect.stringContaining('animus db migrate') },
    ]);
  });
});

describe('a database with queues that are left of a dropped schema', () => {
  const dropped = testDatabase({ anew: true });

  test('is said to have them', async () => {
    await dropped.database.query('drop schema animus cascade');
    const { problems } = await examined(dropped.connectionString);
    expect(problems).toEqual([
      {
        check: 'schema',
        detail:
          'the database has no animus schema; queues of an earlier one are left in pgmq: animus_inbox, animus_inbox_dead, animus_work',
        remedy: 'run: animus db migrate',
      },
    ]);
    await animus(dropped.connectionString, 'db', 'migrate');
    expect((await examined(dropped.connectionString, '--deep')).problems).toEqual([]);
  });
});

describe('a damaged database', () => {
  const pg = testDatabase({ anew: true });

  test('without damage, each deep check says so', async () => {
    await insertWork(pg.database);
    const { findings, problems } = await examined(pg.connectionString, '--deep');
    expect(problems).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['objects', 'waits', 'queue', 'keys', 'sequences', 'settings rows', 'orphans']),
    );
  });

  test('work that waits for nothing is named, and can be cancelled', async () => {
    const work = await beginFocus(pg.database);
    await recordCalls(pg.database, work, 1, ['t1']);
    await openWait(pg.database, work.key, 1, 't1', { kind: 'human', deadline: null });
    expect(await parkWork(pg.database, work)).toBe('waiting');
    await pg.database.query('delete from animus.waits');
    expect((await examined(pg.connectionString)).problems).toEqual([]);
    const { problems } = await examined(pg.connectionString, '--deep');
    expect(problems).toEqual([
      {
        check: 'waits',
        detail: `1 work item in state waiting with nothing to wait for, so nothing will wake it: ${work.id}`,
        remedy: `cancel it, and submit the work again: animus work cancel ${work.id}`,
      },
    ]);
    await animus(pg.connectionString, 'work', 'cancel', work.id);
    expect((await examined(pg.connectionString, '--deep')).problems).toEqual([]);
  });

  test('messages without items, and items without messages, are named, and db migrate puts them right', async () => {
    await emptyQueue(pg.database);
    const id = await insertWork(pg.database);
    await pg.database.query(`delete from pgmq.q_animus_work`);
    await pg.database.query(`select pgmq.send('animus_work'::text, '{"work_item_id": "gone"}'::jsonb, 0)`);
    const { problems } = await examined(pg.connectionString, '--deep');
    expect(problems).toEqual([
      {
        check: 'queue',
        detail: `1 open work item without a message in the queue animus_work: ${id}`,
        remedy: 'run: animus db migrate',
      },
      {
        check: 'queue',
        detail: expect.stringMatching(/^1 message in the queue animus_work for no open work item: \d+$/),
        remedy: 'run: animus db migrate',
      },
    ]);
    expect(await animus(pg.connectionString, 'db', 'migrate')).toMatch(
      /restored +1 message of open work\n.*restored +archived 1 message that belonged to no open work\n/,
    );
    expect((await examined(pg.connectionString, '--deep')).problems).toEqual([]);
    expect(await animus(pg.connectionString, 'db', 'migrate')).toContain('nothing to do');
  });

  test('a missing pgmq is named, and db migrate makes it and its queues again', async () => {
    await emptyQueue(pg.database);
    const [queued, later] = [await insertWork(pg.database), await insertWork(pg.database, { run_at: '2099-01-01' })];
    const claimed = await claimOne(pg.database);
    const schema = await schemaText(pg.database);
    await pg.database.query('drop schema pgmq cascade');
    const before = (await examined(pg.connectionString, '--deep')).problems;
    expect(before.map(({ check }) => check)).toContain('pgmq');
    expect(before.find(({ check }) => check === 'pgmq')?.remedy).toContain('animus db migrate');
    const stdout = await animus(pg.connectionString, 'db', 'migrate');
    expect(stdout).toMatch(
      /restored +the pgmq queues animus_work, animus_inbox, animus_inbox_dead; their messages are lost, except those of open work\n/,
    );
    expect(stdout).not.toContain('nothing to do');
    expect((await examined(pg.connectionString, '--deep')).problems).toEqual([]);
    expect(await schemaText(pg.database)).toBe(schema);
    const messages = await pg.database.query(
      `select w.id, m.vt = 'infinity' as hidden, m.vt <= now() as due from pgmq.q_animus_work m join animus.work_items w on w.queue_msg_id = m.msg_id
        where m.message = jsonb_build_object('work_item_id', w.id) order by w.id`,
    );
    expect(messages).toEqual(
      [
        { id: queued, hidden: claimed.id === queued, due: claimed.id !== queued },
        { id: later, hidden: false, due: false },
      ].toSorted((a, b) => a.id.localeCompare(b.id)),
    );
    const next = await insertWork(pg.database);
    expect((await claimOne(pg.database)).id).toBe(next);
  });

  test('a missing queue is named without --deep and by db status, and db migrate makes it again', async () => {
    await pg.database.query(`select pgmq.drop_queue('animus_work')`);
    const { problems } = await examined(pg.connectionString);
    expect(problems.find(({ check }) => check === 'pgmq')).toEqual({
      check: 'pgmq',
      detail: 'queues of animus are missing: animus_work, so that no work can be submitted',
      remedy: 'run: animus db migrate',
    });
    const status = await run(['db', 'status', '--json'], {
      cwd: site.cwd,
      env: { ...site.env(), DATABASE_URL: pg.connectionString },
    });
    expect(status.code).toBe(5);
    expect(JSON.parse(status.stdout)).toMatchObject({ current: false, missing_queues: ['animus_work'] });
    await animus(pg.connectionString, 'db', 'migrate');
    expect((await examined(pg.connectionString, '--deep')).problems).toEqual([]);
  });

  test('what a partial drop has taken is named, with what puts it back', async () => {
    const schema = await schemaText(pg.database);
    await pg.database.query(`
      drop index animus.work_items_claimable;
      drop trigger work_items_refuse_delete on animus.work_items;
      alter table animus.waits drop constraint waits_work_item_id_fkey;
      drop function animus.claim_take;`);
    const { problems } = await examined(pg.connectionString, '--deep');
    expect(problems.map(({ detail }) => detail)).toEqual([
      'constraint waits_work_item_id_fkey of animus.waits is missing',
      expect.stringMatching(/^function animus\.claim_take\(.*\) is missing$/),
      'index animus.work_items_claimable is missing',
      'trigger work_items_refuse_delete of animus.work_items is missing',
    ]);
    for (const { remedy } of problems) {
      const [, statement] = /run as the owner of the schema: (.*)$/.exec(remedy ?? '') ?? [];
      if (statement !== undefined) await pg.database.query(statement);
    }
    await animus(pg.connectionString, 'db', 'migrate');
    expect((await examined(pg.connectionString, '--deep')).problems).toEqual([]);
    expect(await schemaText(pg.database)).toBe(schema);
  });

  test('a dropped table is named: only a backup has its rows', async () => {
    await pg.database.query(
      'alter table animus.hook_runs rename to lost_runs; alter table animus.foci rename column host to lost_host',
    );
    const { problems } = await examined(pg.connectionString, '--deep');
    expect(problems.map(({ detail }) => detail)).toEqual(
      expect.arrayContaining(['column host of animus.foci is missing', 'table animus.hook_runs is missing']),
    );
    await pg.database.query(
      'alter table animus.lost_runs rename to hook_runs; alter table animus.foci rename column lost_host to host',
    );
  });

  test('rows whose item is gone are named, with the statement that removes them', async () => {
    await emptyQueue(pg.database);
    const { id } = await beginFocus(pg.database);
    await pg.database.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query('delete from animus.work_items where id = $1', [id]);
    });
    const { problems } = await examined(pg.connectionString, '--deep');
    const about = problems.filter(({ check }) => check === 'orphans');
    expect(about.map(({ detail }) => detail)).toContainEqual(
      expect.stringMatching(/^1 row of animus\.foci whose work_item_id is not in animus\.work_items: /),
    );
    for (const { remedy } of about) await pg.database.query(/run as the owner of the schema: (.*)$/.exec(remedy!)![1]!);
    await animus(pg.connectionString, 'db', 'migrate');
    expect((await examined(pg.connectionString, '--deep')).problems).toEqual([]);
  });

  test('work that cannot be claimed, and what daemons say of their claims, is named without --deep', async () => {
    const id = await insertWork(pg.database);
    await pg.database.query(
      `select animus.note_faults(array[jsonb_build_object('id', $1::uuid, 'state', 'P0001', 'message', 'm')])`,
      [id],
    );
    await registerDaemon(pg.database, {
      id: '01900000-0000-7000-8000-000000000001',
      host: 'host',
      pid: 1,
      version: '0',
      maxConcurrent: 1,
      faculties: faculties('engineer'),
      problems: ['another', { about: 'claims', message: 'no work can be claimed: the application refuses it' }],
    });
    const { problems } = await examined(pg.connectionString);
    expect(problems).toEqual([
      { check: 'claims', detail: 'no work can be claimed: the application refuses it', remedy: expect.any(String) },
      {
        check: 'claims',
        detail: `work item ${id} of engineer cannot be claimed: a claim failed on its row (SQLSTATE P0001)`,
        remedy: expect.any(String),
      },
    ]);
    const status = await animus(pg.connectionString, 'status');
    expect(status).toContain('problem  no work can be claimed: the application refuses it');
  });
});
