/** Records findings as ended work has left them, fast: bypasses the triggers. */

import { uuidV7 } from '../../../src/core/work/uuid-v7.ts';
import type { Database } from '../../../src/store/sql/database.ts';

export interface RecordedFinding {
  readonly text: string;
  /** Default: an item of its own. */
  readonly item?: string;
  /** Seconds before the database's time; default: an hour before, later ones later. */
  readonly secondsAgo?: number;
  readonly faculty?: string;
}

/** Adds each finding to the ledger of a completed item, and returns the items. */
export async function recordFindings(db: Database, findings: readonly RecordedFinding[]): Promise<string[]> {
  const rows = findings.map((finding, at) => ({
    item: uuidV7(),
    faculty: 'engineer',
    secondsAgo: 3600 - at / 1000,
    ...finding,
  }));
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    const columns = [
      rows.map(({ item }) => item),
      rows.map(({ faculty }) => faculty),
      rows.map((row) => row.secondsAgo),
    ];
    await tx.query(
      `insert into animus.work_items (id, faculty, description, root_id, depth, state, created_at, updated_at, resolved_at, queue_msg_id, submitted_by)
       select distinct on (item) item, faculty, 'Work of ' || faculty, item, 0, 'completed', at, at, at, nextval('pgmq.q_animus_work_msg_id_seq'), session_user
         from (select item, faculty, animus.now() - ago * interval '1 second' as at from unnest($1::uuid[], $2::text[], $3::float8[]) r (item, faculty, ago)) r
       on conflict do nothing`,
      columns,
    );
    await tx.query(
      `insert into animus.work_ledger (work_item_id, seq, entry_type, content, created_at)
       select item, coalesce((select max(seq) from animus.work_ledger where work_item_id = item), 0) + row_number() over (partition by item order by n),
              'finding', text, animus.now() - ago * interval '1 second'
         from unnest($1::uuid[], $2::float8[], $3::text[]) with ordinality r (item, ago, text, n)`,
      [columns[0], columns[2], rows.map(({ text }) => text)],
    );
  });
  return rows.map(({ item }) => item);
}
