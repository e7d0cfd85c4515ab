/**
 * What it costs to cancel many items: `npm run bench -- tests/bench/queue/cancel.ts [--rows 200000]`. One call of `cancel_works`, pages of 500 as
 * `animus work cancel` has them, and `cancel_work` of each row of a query (a tenth of the rows), each in new items. Prints the items in a second, the
 * processor time of the server for each (right on a busy machine, too), and the locks of the transaction before its commit.
 */
import { parseArgs } from 'node:util';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { postgresCpuMs } from '../engage/postgres-cpu.ts';
import { benchDatabase } from '../support/bench-database.ts';
import { report } from '../support/report.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '200000' } } });
const rows = Number(values.rows);
const PAGE = 500;

const { db, close } = await benchDatabase(2);
try {
  const [{ version }] = (await db.query(`select current_setting('server_version') as version`)) as [
    { version: string },
  ];
  process.stdout.write(`PostgreSQL ${version}\n`);
  await measure('cancel_works, one call', rows, (tx, ids) => cancelWorks(tx, ids));
  await measure(`cancel_works, ${PAGE} at a time`, rows, async (_, ids) => {
    for (let first = 0; first < ids.length; first += PAGE) await cancelWorks(db, ids.slice(first, first + PAGE));
  });
  await measure('cancel_work, of each row', rows / 10, (tx, ids) =>
    tx.query('select animus.cancel_work(id, $2) from unnest($1::uuid[]) as w (id)', [ids, 'not needed']),
  );
} finally {
  await close();
}

async function cancelWorks(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query('select from animus.cancel_works($1::uuid[], $2)', [ids, 'not needed']);
}

async function measure(
  who: string,
  items: number,
  cancel: (tx: Queryable, ids: readonly string[]) => Promise<unknown>,
): Promise<void> {
  await db.query(`insert into animus.work_items (faculty) select 'engineer' from generate_series(1, $1::int)`, [items]);
  const ids = (
    await db.query<{ id: string }>(`select id from animus.work_items where state = 'queued' order by id`)
  ).map(({ id }) => id);
  const [beganMs, cpuMs] = [performance.now(), postgresCpuMs()];
  const locks = await db.transaction(async (tx) => {
    await cancel(tx, ids);
    const [row] = await tx.query<{ n: number }>('select count(*)::int as n from pg_locks where pid = pg_backend_pid()');
    return row!.n;
  });
  const [tookMs, workedMs] = [performance.now() - beganMs, postgresCpuMs() - cpuMs];
  const figures = {
    'items/s': String(Math.round((1000 * ids.length) / tookMs)),
    'µs CPU/item': ((1000 * workedMs) / ids.length).toFixed(1),
    locks: String(locks),
  };
  process.stdout.write(
    `  ${who.padEnd(28)} ${Object.entries(figures)
      .map((pair) => pair.join(' '))
      .join('   ')}\n`,
  );
  report({ what: `cancel ${items} items`, who, figures });
}
