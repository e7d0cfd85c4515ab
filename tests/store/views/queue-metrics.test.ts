import { describe, expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { openPgmq } from '../../../src/store/sql/pgmq.ts';
import { queueMetrics } from '../../../src/store/views/queue-metrics.ts';
import { QUEUES } from '../../../src/store/work/queue-names.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const { work, inbox, inboxDead } = QUEUES;

describe('the metrics of the queues', () => {
  test('show how many messages there are, how old they are, and how many were sent', async () => {
    const { database } = target;
    await database.query(`select pgmq.send($1::text, '{}'::jsonb) from generate_series(1, 3)`, [inboxDead]);
    await database.query(`update pgmq.q_${inboxDead} set enqueued_at = now() - interval '90 seconds' where msg_id = 1`);
    await database.query('select pgmq.archive($1::text, 2)', [inboxDead]);
    expect(await queueMetrics(database)).toEqual([
      { queue: work, messages: 0, oldest_age_seconds: null, newest_age_seconds: null, sent: 0 },
      { queue: inbox, messages: 0, oldest_age_seconds: null, newest_age_seconds: null, sent: 0 },
      { queue: inboxDead, messages: 2, oldest_age_seconds: expect.closeTo(90, -1), newest_age_seconds: 0, sent: 3 },
    ]);
  });

  test.each([
    ['animus_submitter', []],
    ['animus_reader', [work, inbox, inboxDead]],
    ['animus_operator', [work, inbox, inboxDead]],
  ])('are those that %s may read', async (role, readable) => {
    const logins: string[] = [];
    const database = openPostgres(await createLogin(target.connectionString, role, logins));
    expect((await queueMetrics(database)).map(({ queue }) => queue)).toEqual(readable);
    await database.close();
    await dropLogins(logins);
  });

  test('are read on the given connections, and fail as these do', async () => {
    const unreachable = openPostgres('postgres://ada@127.0.0.1:1/x');
    await expect(queueMetrics(unreachable)).rejects.toMatchObject({ code: 'db.unreachable' });
    await unreachable.close();
    const killed = target.database.transaction(async (tx) => {
      await tx.query('select pg_terminate_backend(pg_backend_pid())').catch(() => {});
      await queueMetrics(tx);
    });
    await expect(killed).rejects.toMatchObject({ code: 'db.unreachable' });
  });
});

test('are part of a transaction that pgmq-js runs, and are rolled back with it', async () => {
  const { database } = target;
  const sent = database.transaction(async (tx) => {
    const pgmq = await openPgmq(tx);
    await pgmq.msg.send(inboxDead, { n: 1 });
    expect((await pgmq.queue.getMetrics(inboxDead)).queueLength).toBe(3);
    throw new Error('changed my mind');
  });
  await expect(sent).rejects.toThrow('changed my mind');
  expect((await queueMetrics(database))[2]).toMatchObject({ messages: 2 });
});

describe('a database without queues has no metrics', () => {
  const empty = testDatabase({ empty: true });
  test('and no error', async () => {
    expect(await queueMetrics(empty.database)).toEqual([]);
  });
});

describe('on the embedded database', () => {
  const embedded = embeddedDatabase();
  test('are the same', async () => {
    await migrate(embedded.database);
    expect(await queueMetrics(embedded.database)).toMatchObject([
      { queue: work },
      { queue: inbox },
      { queue: inboxDead },
    ]);
  });
});
