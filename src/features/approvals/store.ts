/** Approvals: what only this part reads and decides. What conversations and work also show is in src/operations. */
import { AnimusError } from '../../core/errors/errors.ts';
import { type RowOf, row } from '../../operations/row.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { toText } from '../../store/sql/json.ts';
import { readValue } from '../../store/sql/read-value.ts';

/** What waits for one cause. */
export const askedGroup = row((s) =>
  s.z
    .object({
      group_id: s.z.string(),
      subject: s.z.string(),
      faculty: s.z.string(),
      root_id: s.id().nullable().describe('the item that asks, with all that is below it; null: a limit or a faculty'),
      tool: s.z.string().nullable(),
      reason: s.z.string().nullable().describe('the rule that asks'),
      count: s.z.int(),
      items: s.z.int().describe('how many work items ask'),
      first_asked_at: s.time(),
      last_asked_at: s.time(),
      deadline: s.time().nullable().describe('the first one'),
      identical: s.z.boolean().describe('all ask for exactly the same, so they may be approved together'),
      ask_ids: s.z.array(s.id()).describe('the first hundred, oldest first'),
    })
    .meta({ id: 'ApprovalGroup' }),
);
export type AskedGroup = RowOf<typeof askedGroup>;

/** What waits for a person, by cause: the oldest first. Of what the actor may see. */
export async function readGroups(db: Queryable, limit: number): Promise<AskedGroup[]> {
  return db.query<AskedGroup>(
    `select group_id, subject, faculty, root_id, tool, reason, count, items, first_asked_at, last_asked_at, deadline, identical, ask_ids
       from animus.visible_inbox_groups order by first_asked_at, group_id limit $1`,
    [limit],
  );
}

/**
 * The full id of something that this item asks, or has asked, by its last digits; null: left out. Errors: `work.not_found`, and `work.invalid` if
 * several end so.
 */
export async function findAsk(db: Queryable, id: string, digits: string | undefined): Promise<string | undefined> {
  if (digits === undefined || digits.length === 36) return digits;
  const found = await db.query<{ ask: string }>(
    `select ask_id as ask from animus.waits where work_item_id = $1::uuid and subject is not null and right(ask_id::text, length($2)) = $2
      union select ask_id from animus.item_asks where work_item_id = $1::uuid and right(ask_id::text, length($2)) = $2 limit 2`,
    [id, digits],
  );
  if (found.length === 0)
    throw new AnimusError('work.not_found', { id, detail: `no request ${digits} of work item ${id}` });
  if (found.length > 1) throw new AnimusError('work.invalid', { detail: `several requests end with ${digits}` });
  return found[0]!.ask;
}

/**
 * Decides about many at once: `deny`, `answer` (of what was lost), or `approve` (of calls that are exactly the same). Returns how many: what no longer
 * waits is left out.
 */
export async function decideAll(
  db: Queryable,
  asks: readonly string[],
  action: 'approve' | 'deny' | 'answer',
  note: string,
): Promise<number> {
  return readValue<number>(db, 'select animus.decide_all($1::uuid[], $2, $3)', [asks, action, toText(note)]);
}

/** A grant that has not ended. */
export const grant = row((s) =>
  s.z
    .object({
      id: s.z.string(),
      scope: s.z.enum(['item', 'faculty']),
      work_item_id: s.id().nullable(),
      faculty: s.z.string(),
      tool: s.z.string(),
      pattern: s.z.string().nullable().describe('of inputs; null: for one exact input, which has the hash'),
      hash: s.z.string().nullable(),
      note: s.z.string(),
      granted_by: s.z.string(),
      created_at: s.time(),
      expires_at: s.time(),
    })
    .meta({ id: 'Grant' }),
);
export type Grant = RowOf<typeof grant>;

/** The grants that have not ended, the next to end first, at most 1,000. Errors: `db.forbidden` for logins that may not see all work. */
export async function readGrants(db: Queryable): Promise<Grant[]> {
  await db.query('select animus.visible_all()');
  return db.query<Grant>(
    `select id::text as id, scope, work_item_id, faculty, tool, pattern, hash, note, granted_by, created_at, expires_at
       from animus.visible_grants where revoked_at is null and expires_at > animus.now() order by expires_at, visible_grants.id limit 1000`,
  );
}

/** Ends a grant; false if it had ended before. */
export async function revokeGrant(db: Queryable, grantId: string): Promise<boolean> {
  return readValue<boolean>(db, 'select animus.revoke_grant($1::bigint)', [grantId]);
}
