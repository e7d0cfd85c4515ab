/** What waits for a person, and the grants that let calls run without one. Rows keep the names of their columns, as in work-views. */
import type { WaitKind, WaitSubject } from '../../core/work/words.ts';
import type { Queryable } from '../sql/database.ts';

/** Something that waits for a person (`animus.inbox`). */
export interface AskedView {
  readonly work_item_id: string;
  readonly faculty: string;
  /** The name of the call, or of the wait where no call waits. */
  readonly call_id: string;
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
}

const COLUMNS = `work_item_id, faculty, call_id, kind, subject, request, hash, asked_at, deadline, turn, submitted_by, left(description, 300) as description`;

/** What waits for a person, oldest first. */
export async function readInbox(db: Queryable, limit: number): Promise<AskedView[]> {
  return db.query<AskedView>(`select ${COLUMNS} from animus.inbox limit $1`, [limit]);
}

/** The same of one item; `id` is a full id. */
export async function readAsked(db: Queryable, id: string): Promise<AskedView[]> {
  return db.query<AskedView>(`select ${COLUMNS} from animus.inbox where work_item_id = $1::uuid`, [id]);
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
