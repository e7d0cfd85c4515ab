/** Helpers to put work into a test's queue and to drive it as a daemon would. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { WorkState } from '../../../src/core/work/work.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { type ClaimableFaculty, type ClaimedWork, claimWork } from '../../../src/store/work/work.ts';

/** The columns an inserter may set. */
export interface Insert {
  readonly faculty?: string;
  readonly description?: string;
  readonly params?: object;
  readonly dedup_key?: string | null;
  readonly priority?: number;
  readonly run_at?: Date | string | null;
  readonly concurrency_key?: string | null;
  readonly parent_id?: string | null;
}

/** Inserts one item as an application would and returns its id. */
export async function insertWork(db: Queryable, insert: Insert = {}): Promise<string> {
  const row = { faculty: 'engineer', ...insert };
  const names = Object.keys(row);
  const values = Object.values(row).map((value) =>
    value !== null && typeof value === 'object' && !(value instanceof Date) ? JSON.stringify(value) : value,
  );
  const [inserted] = await db.query<{ id: string }>(
    `insert into animus.work_items (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning id`,
    values,
  );
  return inserted!.id;
}

/** Faculties as a daemon with room for everything would pass them. */
export function faculties(
  ...names: (string | [name: string, options: Partial<ClaimableFaculty>])[]
): Record<string, ClaimableFaculty> {
  return Object.fromEntries(
    names.map((name) => {
      const [of, options] = typeof name === 'string' ? [name, {}] : name;
      return [of, { max: 1000, max_attempts: 3, dedup_until: 'resolved', ...options } satisfies ClaimableFaculty];
    }),
  );
}

export const DAEMON = randomUUID();
export const LEASE_SECONDS = 60;

/** Claims as one daemon. */
export function claim(
  db: Queryable,
  limit = 1,
  of: Record<string, ClaimableFaculty> = faculties('engineer'),
  daemonId = DAEMON,
): Promise<ClaimedWork[]> {
  return claimWork(db, daemonId, of, limit, LEASE_SECONDS);
}

/** Claims one item and fails the test if there is none. */
export async function claimOne(db: Queryable, of?: Record<string, ClaimableFaculty>): Promise<ClaimedWork> {
  const [work] = await claim(db, 1, of);
  if (work === undefined) throw new Error('nothing to claim');
  return work;
}

/** A focus on the claimed item. */
export async function startFocus(db: Queryable, work: { id: string; leaseToken: string }): Promise<string> {
  const [focus] = await db.query<{ id: string }>(
    `select id from animus.start_focus($1, $2, 'host', '/tmp', '{}'::jsonb, 'prompt', '[]'::json)`,
    [work.id, work.leaseToken],
  );
  return focus!.id;
}

/** The whole row, with related columns of other tables. */
export interface StoredWork {
  readonly id: string;
  readonly state: WorkState;
  readonly merged_into: string | null;
  readonly attempts: number;
  readonly crashes: number;
  readonly unstarted_claims: number;
  readonly key_blocked: boolean;
  readonly lease_token: string | null;
  readonly lease_owner: string | null;
  readonly run_at: Date | null;
  readonly error: { code?: string; message?: string } | null;
  readonly outcome: unknown;
  readonly cancel_requested_at: Date | null;
  readonly cancel_reason: string | null;
  readonly depth: number;
  readonly root_id: string;
  readonly queue_msg_id: string | null;
  readonly messages: number;
  readonly archived: number;
  readonly keys: number;
}

export async function readWork(db: Queryable, id: string): Promise<StoredWork> {
  const [row] = await db.query<StoredWork>(
    `select w.*, (select count(*)::int from pgmq.q_animus_work where message ->> 'work_item_id' = w.id::text) as messages,
            (select count(*)::int from pgmq.a_animus_work where message ->> 'work_item_id' = w.id::text) as archived,
            (select count(*)::int from animus.active_keys where work_item_id = w.id) as keys
       from animus.work_items w where w.id = $1`,
    [id],
  );
  return row!;
}

export async function stateOf(db: Queryable, id: string): Promise<WorkState> {
  const [row] = await db.query<{ state: WorkState }>('select state from animus.work_items where id = $1', [id]);
  return row!.state;
}

const TABLES = `
  animus.work_items animus.active_keys animus.freed_keys animus.work_ledger animus.foci animus.turns animus.tool_calls
  animus.focus_messages animus.mailbox animus.told_faculties animus.daemons animus.waits animus.batch_requests animus.watches animus.decisions animus.pauses animus.spend_calls pgmq.q_animus_work pgmq.a_animus_work
  pgmq.q_animus_inbox pgmq.a_animus_inbox pgmq.q_animus_inbox_dead`
  .trim()
  .split(/\s+/);

/** Removes all work, bypassing its guards, so that each test begins with an empty queue. Uses delete: a truncate of many small tables takes 0.2 s. */
export async function emptyQueue(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(TABLES.map((table) => `delete from ${table}`).join('; '));
  });
}

/** Runs `work` in a transaction that stays open until `end` is called. */
export async function openTransaction(db: Database, work: (tx: Queryable) => Promise<void>) {
  const opened = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<'commit' | 'rollback'>();
  const rolledBack = new Error('rolled back by the test');
  const done = db
    .transaction(async (tx) => {
      await work(tx);
      opened.resolve();
      if ((await ending.promise) === 'rollback') throw rolledBack;
    })
    .catch((error: unknown) => {
      opened.reject(error);
      if (error !== rolledBack) throw error;
    });
  await opened.promise;
  const end = async (how: 'commit' | 'rollback'): Promise<void> => {
    ending.resolve(how);
    await done;
  };
  return {
    end,
    /** Ends it when `other` is over, also if that fails. */
    async endAfter<T>(other: Promise<T>, how: 'commit' | 'rollback'): Promise<T> {
      try {
        return await other;
      } finally {
        await end(how);
      }
    },
  };
}

/** Waits until a statement of this database waits for a lock, so that the race has begun. */
export async function untilBlocked(db: Queryable, backends = 1): Promise<void> {
  for (;;) {
    const [row] = await db.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (row!.n >= backends) return;
    await db.query('select pg_sleep(0.005)');
  }
}

/** The rejection's animus code. */
export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('expected a refusal'),
    (error: unknown) => (error as { code?: unknown }).code,
  );
}
