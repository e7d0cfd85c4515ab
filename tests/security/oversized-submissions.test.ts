/**
 * The promise: no submitted text is larger than its readers can handle. Beyond 1 MiB it is refused with its size; larger values that an
 * older animus accepted are left out when they are read; and the engine's own records are cut or stored separately, never refused.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { readStatus } from '../../src/features/operate/status/status.ts';
import { listWork, readWork } from '../../src/operations/read-work.ts';
import { readArtifact } from '../../src/store/transcript/artifacts.ts';
import { appendLedger } from '../../src/store/transcript/ledger.ts';
import { completeBatch } from '../../src/store/work/claimed/complete-batch.ts';
import { drainInbox } from '../../src/store/work/inbox.ts';
import { submitWork } from '../../src/store/work/submit-work.ts';
import { completeWork, failWork, releaseWork } from '../../src/store/work/work.ts';
import { claimOne, emptyQueue, insertWork, startFocus } from '../store/work/queue-driver.ts';
import { testDatabase } from '../support/database.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

const MIB = 1024 * 1024;

describe('a submission of more than 1 MiB is refused with its size', () => {
  test.each([
    ['description', `repeat('ä', 524289)`, '1048578'],
    ['params', `jsonb_build_object('a', repeat('x', ${MIB}))`, String(MIB + 9)],
    ['trigger_info', `to_jsonb(repeat('x', ${MIB}))`, String(MIB + 2)],
    ['description', `repeat('x', 100000000)`, '100000000'],
  ])('%s = %s', async (column, value, size) => {
    const insert = target.database.query(
      `insert into animus.work_items (faculty, ${column}) values ('engineer', ${value})`,
    );
    await expect(insert).rejects.toMatchObject({
      code: '23514',
      constraint: `work_items_${column}_size`,
      message: expect.stringContaining(`${column} has ${size} bytes; at most 1048576 (1 MiB) are accepted`),
    });
    const update = target.database.query(`update animus.work_items set ${column} = ${value} where id = $1`, [
      await insertWork(target.database),
    ]);
    await expect(update).rejects.toMatchObject({ constraint: `work_items_${column}_size` });
  });

  test.each([
    ['params', `('{"a":' || repeat('[', 5000) || repeat(']', 5000) || '}')::jsonb`],
    ['params', `('{"a":' || repeat('{"b":', 200) || '1' || repeat('}', 200) || '}')::jsonb`],
    ['trigger_info', `(repeat('[', 202) || repeat(']', 202))::jsonb`],
  ])('and so is %s that is nested deeper than programs can write', async (column, value) => {
    const insert = target.database.query(
      `insert into animus.work_items (faculty, ${column}) values ('engineer', ${value})`,
    );
    await expect(insert).rejects.toMatchObject({ code: '23514', constraint: `work_items_${column}_depth` });
  });

  test.each(['params', 'trigger_info'])('and so is %s of more than 20,000 values', async (column) => {
    const insert = (values: number) =>
      target.database.query(
        `insert into animus.work_items (faculty, ${column})
         select 'engineer', jsonb_build_object('a', jsonb_agg(null::text)) from generate_series(1, $1::int)`,
        [values],
      );
    await expect(insert(19_999)).rejects.toMatchObject({
      constraint: `work_items_${column}_values`,
      message: expect.stringContaining('has more than 20000 values in all'),
    });
    await insert(19_998);
  });

  test('even if it is stored compressed in another table and nested too deep', async () => {
    await target.database.query(`create table deep as select (repeat('[', 5000) || repeat(']', 5000))::jsonb as info`);
    const [row] = await target.database.query('select pg_column_compression(info) is not null as compressed from deep');
    expect(row).toEqual({ compressed: true });
    const insert = target.database.query(
      `insert into animus.work_items (faculty, trigger_info) select 'engineer', info from deep`,
    );
    await expect(insert).rejects.toMatchObject({ constraint: 'work_items_trigger_info_depth' });
  });

  test('200 levels are accepted', async () => {
    await target.database.query(
      `insert into animus.work_items (faculty, params, trigger_info)
       values ('engineer', ('{"a":' || repeat('[', 199) || repeat(']', 199) || '}')::jsonb, (repeat('[', 200) || '1' || repeat(']', 200))::jsonb)`,
    );
  });

  test('and exactly 1 MiB is accepted', async () => {
    await target.database.query(
      `insert into animus.work_items (faculty, description, params) values ('engineer', repeat('x', ${MIB}), jsonb_build_object('a', repeat('x', ${MIB - 9})))`,
    );
  });

  test('even if it is stored compressed in another table', async () => {
    await target.database.query(
      `create table if not exists stored as select jsonb_build_object('a', repeat('x', 3000000)) as params`,
    );
    const [row] = await target.database.query('select pg_column_size(params) < 100000 as small from stored');
    expect(row).toEqual({ small: true });
    const insert = target.database.query(
      `insert into animus.work_items (faculty, params) select 'engineer', params from stored`,
    );
    await expect(insert).rejects.toMatchObject({ constraint: 'work_items_params_size' });
  });

  test('from the command line and from tools', async () => {
    await expect(submitWork(target.database, { faculty: 'engineer', source: 'x'.repeat(1025) })).rejects.toMatchObject({
      code: 'work.invalid',
      message: expect.stringContaining('source has 1025 bytes'),
    });
  });

  test('in a message: it goes to inbox_dead, shortened to its beginning', async () => {
    await target.database.query(
      `select pgmq.send('animus_inbox', jsonb_build_object('faculty', 'engineer', 'description', repeat('x', 2000000), 'dedup_key', 'k'))`,
    );
    expect(await drainInbox(target.database, 10)).toEqual({ accepted: 0, refused: 1, postponed: 0 });
    const [dead] = await target.database.query<{ message: { reason: string; message: object } }>(
      'select message from pgmq.q_animus_inbox_dead',
    );
    expect(dead!.message).toMatchObject({
      reason: expect.stringMatching(/^the message has 20000\d\d bytes; at most 1048576/),
      message: { cut: true, faculty: 'engineer', dedup_key: 'k', description: 'x'.repeat(10_000) },
    });
  });

  test.each(['description', 'params'])('in a schedule: %s', async (column) => {
    const value = column === 'params' ? `jsonb_build_object('a', repeat('x', 2000000))` : `repeat('x', 2000000)`;
    const insert = target.database.query(
      `insert into animus.schedules (name, cron, faculty, ${column}) values ('s', '* * * * *', 'engineer', ${value})`,
    );
    await expect(insert).rejects.toMatchObject({
      code: 'work.invalid',
      message: expect.stringContaining('is too large'),
    });
  });

  test('in an operator’s ledger entry', async () => {
    const entry = appendLedger(target.database, await insertWork(target.database), 'note', 'x'.repeat(MIB + 1));
    await expect(entry).rejects.toMatchObject({
      code: 'work.invalid',
      message: expect.stringContaining('1048577 bytes'),
    });
  });
});

test('work that an older animus accepted can be claimed, listed, shown and watched, whatever its size', async () => {
  const id = await insertWork(target.database);
  await target.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `update animus.work_items set description = repeat('x', 545000000), params = jsonb_build_object('a', repeat('y', 20000000)),
              trigger_info = to_jsonb(repeat('z', 20000000)) where id = $1`,
      [id],
    );
  });
  const [listed] = await listWork(target.database, { limit: 10 });
  expect(listed?.description).toHaveLength(10_000);
  const shown = await readWork(target.database, id);
  expect([shown.description.length, shown.params]).toEqual([MIB, { left_out: '20000009 bytes' }]);
  const work = await claimOne(target.database);
  expect(work.description.length).toBeLessThan(300_000);
  expect(work.description).toContain('the whole description has 545000000 bytes');
  expect(work.params).toEqual({ left_out: expect.stringContaining('20000009 bytes') });
  expect((await readStatus(target.database)).foci).toMatchObject([{ description: 'x'.repeat(200) }]);
  expect((await readArtifact(target.database, id, id, 0, 10))?.text).toBe('x'.repeat(10));
  await completeWork(target.database, work, {}, null);
}, 120_000);

describe('records of the engine are never refused', () => {
  const running = async () => {
    await insertWork(target.database);
    const work = await claimOne(target.database);
    await startFocus(target.database, work);
    return work;
  };

  test('an outcome is stored whole as an artifact of the item, in a batch and alone', async () => {
    const works = [await running(), await running()];
    const outcome = { text: 'x'.repeat(2 * MIB) };
    expect(await completeBatch(target.database, [{ ...works[0]!, outcome, summary: 's' }])).toEqual(['completed']);
    await completeWork(target.database, works[1]!, outcome, 'y'.repeat(MIB));
    for (const { id } of works) {
      const kept = (await readWork(target.database, id)).outcome as {
        artifact: string;
        bytes: number;
        truncated: boolean;
      };
      expect(kept).toMatchObject({
        truncated: true,
        bytes: 2 * MIB + 12,
        beginning: expect.stringMatching(/^\{"text": "xxx/),
      });
      expect(await readArtifact(target.database, id, kept.artifact, 0, 12)).toEqual({
        text: '{"text": "xx',
        characters: 2 * MIB + 12,
      });
    }
    expect((await readWork(target.database, works[1]!.id)).outcome_summary).toHaveLength(10_000);
  });

  test('errors, reasons and the ledger of a focus are cut, with a note', async () => {
    const work = await running();
    await appendLedger(target.database, work.id, 'note', 'ä'.repeat(2 * MIB), { leaseToken: work.leaseToken });
    const [entry] = await target.database.query<{ content: string }>(
      'select content from animus.work_ledger where work_item_id = $1',
      [work.id],
    );
    expect(entry!.content).toMatch(/^ä{262144}\n\[cut here: the whole text has 4194304 bytes\]$/);
    await releaseWork(target.database, work, { delaySeconds: 0, reason: 'r'.repeat(MIB), cause: 'test' });
    expect(JSON.stringify((await readWork(target.database, work.id)).error).length).toBeLessThan(11_000);
    const again = await claimOne(target.database);
    await failWork(target.database, again, { code: 'engage.x', message: 'm'.repeat(MIB), phase: 'engage' }, null);
    const { error } = (await readWork(target.database, work.id)) as {
      error: { code: string; phase: string; message: string };
    };
    expect(error).toMatchObject({
      code: 'engage.x',
      phase: 'engage',
      message: expect.stringContaining(`has ${MIB} bytes]`),
    });
    expect(error.message.length).toBeLessThan(11_000);
  });
});
