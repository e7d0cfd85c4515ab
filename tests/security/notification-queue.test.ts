/** Anyone who may connect can fill the server's notification queue; no insert, claim or completion fails because of it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { drainInbox } from '../../src/store/work/inbox.ts';
import { claimOne, insertWork } from '../store/work/queue-driver.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';

let server: PostgresServer;
let db: Database;
let stranger: Database;
beforeAll(async () => {
  // The smallest possible queue, half a megabyte: with the default, it takes 8 GB to fill.
  server = await startPostgresServer(['-c', 'max_notify_queue_pages=64']);
  db = openPostgres(server.url, { poolSize: 2 });
  stranger = openPostgres(server.url, { poolSize: 2 });
  await migrate(db);
});
afterAll(async () => {
  await Promise.all([db.close(), stranger.close()]);
  await server.stop();
});

test('work continues while the notification queue is full', async () => {
  await stranger.transaction(async (listener) => {
    await listener.query('listen anything');
    await listener.query('commit');
    await listener.query('begin');
    await listener.query('select 1');
    await expect(flood()).rejects.toThrow(/too many notifications in the NOTIFY queue/);
    await db.query(`select animus.register_daemon(gen_random_uuid(), 'h', 1, 'v', 5, '{}', '[]')`);
    await insertWork(db);
    await db.query(`select pgmq.send('animus_inbox', '{"faculty": "engineer"}')`);
    expect(await drainInbox(db, 10)).toMatchObject({ accepted: 1 });
    const item = await claimOne(db);
    await db.query('select animus.watch_work($1)', [item.id]);
    await db.query(`select animus.append_ledger($1, 'note', 'x')`, [item.id]);
    await db.query('select animus.cancel_work($1)', [item.id]);
    await db.query('select animus.end_cancelled($1, $2)', [item.id, item.leaseToken]);
  });
});

async function flood(): Promise<never> {
  for (;;) await stranger.query(`select pg_notify('anything', repeat('x', 7000) || i) from generate_series(1, 5) i`);
}
