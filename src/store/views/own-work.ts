/** The actor's own work, for a login that may only submit: the same rows as for others, from the views that it may read. */
import type { Queryable } from '../sql/database.ts';
import type { LedgerEntry } from '../transcript/ledger.ts';
import type { ArtifactView } from './artifact-views.ts';
import { itemCost, itemTokens } from './known-cost.ts';
import type { MailView } from './mail-view.ts';
import { withWaiting } from './waiting.ts';
import type { WorkFilter } from './work-list.ts';
import { notFound, readable, type WorkDetail, type WorkSummary } from './work-views.ts';

const SUMMARY = `w.id, w.faculty, w.state, left(w.description, 10000) as description, left(w.outcome_summary, 1000) as outcome_summary, w.priority,
  w.attempts, w.turns, ${itemCost('cost_usd', 'w.')}, w.parent_id, w.merged_into, w.run_at, w.created_at, w.resolved_at`;

/** Its newest items that pass the filter, newest first. */
export async function listOwnWork(db: Queryable, filter: WorkFilter): Promise<WorkSummary[]> {
  const { state = null, faculty = null, parentId = null, after = null, limit } = filter;
  const rows = await db.query<Omit<WorkSummary, 'waiting'>>(
    `select ${SUMMARY} from animus.own_work w
      where ($1::text is null or w.state = $1) and ($2::text is null or w.faculty = $2) and ($3::uuid is null or w.parent_id = $3)
        and ($4::uuid is null or w.id < $4) order by w.id desc limit $5`,
    [state, faculty, parentId, after, limit],
  );
  return withWaiting(db, rows);
}

/** One of its items; `id` is a full id. What its view does not have is null. Errors: `work.not_found`. */
export async function readOwnWork(db: Queryable, id: string): Promise<WorkDetail> {
  const [row] = await db.query<Omit<WorkDetail, 'waiting'>>(
    `select id, faculty, state, left(description, 1048576) as description, priority, attempts, turns, ${itemCost('cost_usd')}, parent_id,
            merged_into, left(outcome_summary, 10000) as outcome_summary, run_at, created_at, resolved_at, skill, ${readable('params')},
            dedup_key, concurrency_key, left(source, 1024) as source, ${readable('trigger_info')},
            null as root_id, null as depth, null as max_attempts, null as lease_owner, null as lease_expires_at, cancel_requested_at,
            null as cancel_reason, ${readable('outcome')}, ${readable('error')},
            ${itemTokens()}, updated_at
       from animus.own_work where id = $1::uuid`,
    [id],
  );
  if (row === undefined) throw notFound(id);
  return (await withWaiting(db, [row]))[0]!;
}

/** As `readMailbox`; the focus is not told. */
export async function readOwnMail(db: Queryable, id: string): Promise<MailView[]> {
  return db.query<MailView>(
    `select m.id::float8 as id, m.author, m.author_is, m.text, m.wake, m.duplicate_id, m.created_at, m.delivered_at, null as focus,
            m.after_turn + 1 as turn, m.not_delivered from animus.own_mail m where m.work_item_id = $1::uuid order by m.id`,
    [id],
  );
}

/** As `readArtifacts`. */
export async function readOwnArtifacts(db: Queryable, id: string): Promise<ArtifactView[]> {
  return db.query<ArtifactView>(
    `select id, name, media_type, bytes::float8 as bytes, created_at from animus.own_artifacts where work_item_id = $1::uuid order by name, id`,
    [id],
  );
}

/** As `readWholeLedger`; the focus is not told. */
export async function readOwnLedger(
  db: Queryable,
  id: string,
  { type = null, last = null }: { readonly type?: string | null; readonly last?: number | null } = {},
): Promise<LedgerEntry[]> {
  const newestFirst = await db.query<LedgerEntry>(
    `select seq, entry_type as type, content, null as "focusId", created_at as "createdAt" from animus.own_ledger
      where work_item_id = $1 and ($2::text is null or entry_type = $2) order by seq desc limit $3`,
    [id, type, last],
  );
  return newestFirst.toReversed();
}
