/** Inserts many rows fast: bypasses the triggers and writes what they would have written. */
import type { Database } from '../../../src/store/sql/database.ts';

export interface Fill {
  /** Per faculty. */
  readonly queued?: Readonly<Record<string, number>>;
  readonly scheduled?: number;
  readonly resolved?: number;
}

/** Fills the queue, then analyses it as autovacuum soon would. A million rows take about ten seconds on an idle machine. */
export async function fillQueue(db: Database, { queued = {}, scheduled = 0, resolved = 0 }: Fill): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    const insert = (faculty: string, count: number, state: string, columns: string, values: string) =>
      tx.query(
        `insert into animus.work_items (id, faculty, root_id, depth, state, created_at, updated_at, ${columns})
         select id, $1, id, 0, $3, clock_timestamp(), clock_timestamp(), ${values}
           from (select animus.uuid_v7() as id, n from generate_series(1, $2::int) n) i`,
        [faculty, count, state],
      );
    for (const [faculty, count] of Object.entries(queued))
      await insert(faculty, count, 'queued', 'queue_msg_id', `nextval('pgmq.q_animus_work_msg_id_seq')`);
    await insert(
      'noop',
      scheduled,
      'scheduled',
      'queue_msg_id, run_at',
      `nextval('pgmq.q_animus_work_msg_id_seq'), now() + n * interval '1 minute' + interval '1 day'`,
    );
    await insert('noop', resolved, 'completed', 'resolved_at', `now() - n * interval '1 second'`);
    await tx.query(
      `insert into pgmq.q_animus_work (msg_id, vt, message) overriding system value
       select queue_msg_id, coalesce(run_at, created_at), jsonb_build_object('work_item_id', id) from animus.work_items
        where queue_msg_id is not null and resolved_at is null on conflict do nothing`,
    );
  });
  await db.query('analyze animus.work_items; analyze pgmq.q_animus_work');
}
