/** What waits for a person, and the grants that let calls run without one. Rows keep the names of their columns, as in work-views. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { WaitKind, WaitSubject } from '../../core/work/words.ts';
import type { Queryable } from '../sql/database.ts';

/** Something that waits for a person (`animus.inbox`). */
export interface AskedView {
  readonly work_item_id: string;
  readonly faculty: string;
  /** What a decision names. */
  readonly ask_id: string;
  /** The call that waits, as its provider has named it; null where no call waits. */
  readonly call_id: string | null;
  readonly kind: Extract<WaitKind, 'approval' | 'human'>;
  readonly subject: WaitSubject;
  /** The exact thing to be decided, made by the database of what is recorded. */
  readonly request: Readonly<Record<string, unknown>>;
  /** What a decision is bound to. */
  readonly hash: string;
  readonly asked_at: Date;
  /** When the answer is no; null: never. */
  readonly deadline: Date | null;
  readonly turn: number | null;
  readonly submitted_by: string | null;
  /** Of the work item, the first 300 characters. */
  readonly description: string;
  /** How many work items wait for the same limit: a decision is about all of them; a denial ends 1,000 at most. 1 for anything else. */
  readonly items: number;
  /** The first hundred of them; of what one item asks, only this item. */
  readonly work_items: string[];
}

const COLUMNS = `work_item_id, faculty, ask_id, call_id, kind, subject, request, hash, asked_at, deadline, turn, submitted_by, left(description, 300) as description, items`;

/** What an item asks people, oldest first; `id` is a full id. */
export async function readAsked(db: Queryable, id: string): Promise<AskedView[]> {
  return db.query<AskedView>(
    `select ${COLUMNS}, array[work_item_id] as work_items from animus.item_asks where work_item_id = $1::uuid order by asked_at, ask_id`,
    [id],
  );
}

/** What waits for one cause (`animus.visible_inbox_groups`). */
export interface AskedGroup {
  readonly group_id: string;
  readonly subject: WaitSubject;
  readonly faculty: string;
  /** The item that asks, with all that is below it; null for a limit or a faculty. */
  readonly root_id: string | null;
  readonly tool: string | null;
  readonly reason: string | null;
  readonly count: number;
  readonly items: number;
  readonly first_asked_at: Date;
  readonly last_asked_at: Date;
  /** The first one. */
  readonly deadline: Date | null;
  /** All ask for exactly the same. */
  readonly identical: boolean;
  /** The first hundred, oldest first. */
  readonly ask_ids: string[];
}

/** What waits for a person, by cause: the oldest first. Of what the actor may see. */
export async function readInboxGroups(db: Queryable, limit: number): Promise<AskedGroup[]> {
  return db.query<AskedGroup>(
    `select group_id, subject, faculty, root_id, tool, reason, count, items, first_asked_at, last_asked_at, deadline, identical, ask_ids
       from animus.visible_inbox_groups order by first_asked_at, group_id limit $1`,
    [limit],
  );
}

/** The requests with these ids that still wait, in their order. */
export async function readAsks(db: Queryable, asks: readonly string[]): Promise<AskedView[]> {
  return db.query<AskedView>(
    `select ${COLUMNS}, work_items from animus.visible_inbox where ask_id = any ($1::uuid[]) order by array_position($1::uuid[], ask_id)`,
    [asks],
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

/** A grant that has not ended. */
export interface GrantView {
  readonly id: string;
  readonly scope: 'item' | 'faculty';
  readonly work_item_id: string | null;
  readonly faculty: string;
  readonly tool: string;
  /** Of inputs; null: for one exact input, with `hash`. */
  readonly pattern: string | null;
  readonly hash: string | null;
  readonly note: string;
  readonly granted_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** The grants that have not ended, the next to end first. */
export async function readGrants(db: Queryable): Promise<GrantView[]> {
  return db.query<GrantView>(
    `select id::text as id, scope, work_item_id, faculty, tool, pattern, encode(request_hash, 'hex') as hash, note, granted_by, created_at, expires_at
       from animus.grants where revoked_at is null and expires_at > animus.now() order by expires_at, id`,
  );
}
