/** Puts back what somebody has dropped of the pgmq queues. */
import type { Queryable } from '../sql/database.ts';
import { PGMQ_SCHEMA } from '../sql/pgmq-schema.ts';
import { readValues } from '../sql/read-value.ts';
import { QUEUES } from '../work/queue-names.ts';

export interface RestoredQueues {
  /** Names of the queues that were missing. */
  readonly queues: readonly string[];
  /** Messages that open items lacked, and messages of items that are over or gone. */
  readonly added: number;
  readonly removed: number;
}

/** Our queues that somebody has dropped; none before the first migration, or where pgmq itself is missing. Any role may ask. */
export async function missingQueues(db: Queryable): Promise<string[]> {
  return readValues<string>(
    db,
    `select q.name from unnest($1::text[]) with ordinality q (name, n)
      where to_regclass('animus.work_items') is not null and exists (select from pg_proc where pronamespace = to_regnamespace('animus') and proname = 'restore_queues')
        and exists (select from pg_namespace where nspname = ${PGMQ_SCHEMA})
        and (select count(*) from pg_class c join pg_namespace s on s.oid = c.relnamespace and s.nspname = ${PGMQ_SCHEMA} where c.relname in ('q_' || q.name, 'a_' || q.name)) < 2
      order by q.n`,
    [Object.values(QUEUES)],
  );
}

export const NOTHING_RESTORED: RestoredQueues = { queues: [], added: 0, removed: 0 };

/**
 * Makes missing queues, with the messages of open work; with `mend`, compares all messages with the items, which reads all open work. Idempotent; call it
 * under the migration lock, when pgmq is there and the schema is whole. Nothing where row security hides rows from this role: all messages would look like
 * those of items that are gone.
 */
export async function restoreQueues(tx: Queryable, mend: boolean): Promise<RestoredQueues> {
  const [known] = await tx.query<{ there: boolean; hidden: boolean }>(
    `select to_regprocedure('animus.restore_queues(boolean)') is not null and to_regclass('animus.work_items') is not null as there,
            exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                     where (n.nspname = 'animus' and c.relname = 'work_items' or n.nspname = ${PGMQ_SCHEMA} and c.relname = 'q_animus_work') and row_security_active(c.oid)) as hidden`,
  );
  // The first start, or the schema of an earlier version.
  if (!known!.there || known!.hidden) return NOTHING_RESTORED;
  const [row] = await tx.query<RestoredQueues>('select queues, added, removed from animus.restore_queues($1)', [mend]);
  return row!;
}
