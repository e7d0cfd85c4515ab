/** Work items as the daemon sees them: thin calls of the SQL functions, which hold all the rules. */
import type { WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';
import type { ReleaseReason } from './release-reason.ts';

/** A claimed work item, as later calls name it: `leaseToken` proves the claim. */
export interface Claimed {
  readonly id: string;
  readonly leaseToken: string;
}

export interface ClaimedWork extends Claimed {
  readonly faculty: string;
  readonly skill: string | null;
  readonly description: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly source: string;
  readonly triggerInfo: unknown;
  readonly priority: number;
  readonly parentId: string | null;
  /** Who submitted it (`animus.actor`); null: unknown, submitted before this was recorded. */
  readonly submittedBy: string | null;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly traceContext: string | null;
  /** Whether its turns are asked in batches; null: as its faculty says. */
  readonly batch: boolean | null;
  readonly createdAt: Date;
  /** When it became claimable. */
  readonly readyAt: Date;
}

/** What a daemon can run of one faculty: how many at once over all daemons, and what is stamped on a claim. */
export interface ClaimableFaculty {
  readonly max: number;
  readonly max_attempts: number;
  readonly dedup_until: 'resolved' | 'claimed';
  /** Set if duplicates are told to the item they merge into. */
  readonly on_duplicate?: 'tell';
  /** Set if no model does the work: a command or code reads no messages. */
  readonly mode?: 'external' | 'code';
  /** How long a focus is reserved for the host that has its directory; default 120. */
  readonly host_grace_seconds?: number;
  /** How many more items to claim than get a slot; default none. */
  readonly ahead?: number;
  /** None of these while another daemon has a free slot for the faculty. */
  readonly yields?: true;
  /** The daemon knows batches: it may claim items that have a turn under way. */
  readonly batches?: true;
  /** The daemon holds what turns may cost: it may run work to which limits apply. */
  readonly budgets?: true;
  /** The daemon heeds `alone` of a claim: it may run suspected work. */
  readonly suspects?: true;
}

export type Alone = 'tests' | 'clears';

/** What a daemon asks for. */
export interface ClaimRequest {
  readonly daemonId: string;
  readonly faculties: Readonly<Record<string, ClaimableFaculty>>;
  /** How many more items it has slots for. */
  readonly limit: number;
  readonly leaseSeconds: number;
  /** The daemon's first claim; default false. */
  readonly first?: boolean;
  /** How many items it takes in addition, of faculties with `ahead`, to wait for a slot; default none. */
  readonly ahead?: number;
  /** Faculties of which items wait in the daemon; default none. */
  readonly waiting?: readonly string[];
}

/** What a claim brought. */
export interface Claim {
  readonly work: ClaimedWork[];
  /** Those of `waiting` that are paused. */
  readonly paused: readonly string[];
  /**
   * False: the daemon was full and is not any more, and a transaction is open that saw it full and sends no notification. Claim again
   * when `awaitSkipped` has returned true.
   */
  readonly settled: boolean;
  /**
   * Why the daemon claims nothing else for now: it `tests` an item that may have ended another daemon, or `clears`, to be empty before it gets
   * one; or null. Claim again soon.
   */
  readonly alone: Alone | null;
}

/** Claims items for a daemon, best first; expired leases of others are taken over in the same call. */
export async function claimReadyWork(db: Queryable, request: ClaimRequest): Promise<Claim> {
  const { daemonId, faculties, limit, leaseSeconds, first = false, ahead = 0, waiting = [] } = request;
  const rows = await db.query<
    Omit<ClaimedWork, 'id'> & { readonly id: string | null } & Readonly<{
        isSettled: boolean;
        pausedNow: string[];
        isAlone: Alone | null;
      }>
  >(
    `select is_settled as "isSettled", paused_now as "pausedNow", is_alone as "isAlone", ${CLAIMED}
       from animus.claim_ready_work($1, $2::jsonb, $3, make_interval(secs => $4), $5, $6, $7::text[]) c (is_settled, paused_now, work, is_alone)
       cross join lateral (select (c.work).*) w`,
    [daemonId, toJsonb(faculties), limit, leaseSeconds, first, ahead, waiting],
  );
  const { isSettled: settled, pausedNow: paused, isAlone: alone } = rows[0]!;
  return { work: rows.filter((row): row is typeof row & ClaimedWork => row.id !== null), settled, paused, alone };
}

/** Puts claimed items that were not started back into the queue, as they were. Items whose lease is lost are left out. */
export async function giveBack(db: Queryable, works: readonly Claimed[]): Promise<void> {
  await db.query(`select animus.give_back($1::uuid[], $2::bigint[])`, [
    works.map((work) => work.id),
    works.map((work) => work.leaseToken),
  ]);
}

/** Claims as `claimReadyWork` does, and returns the items alone: for callers that claim once, and for schemas of the previous version. */
export async function claimWork(
  db: Queryable,
  daemonId: string,
  faculties: Readonly<Record<string, ClaimableFaculty>>,
  limit: number,
  leaseSeconds: number,
): Promise<ClaimedWork[]> {
  return db.query<ClaimedWork>(
    `select ${CLAIMED} from animus.claim_work($1, $2::jsonb, $3, make_interval(secs => $4))`,
    [daemonId, toJsonb(faculties), limit, leaseSeconds],
  );
}

/**
 * Waits at most 0.2 s, on a connection, until no transaction is open that skipped a notification because every daemon was full. Returns
 * false if one still is.
 */
export async function awaitSkipped(db: Queryable): Promise<boolean> {
  return readValue<boolean>(db, `select animus.await_skipped()`);
}

const CLAIMED = `id, faculty, skill, description, params, source, trigger_info as "triggerInfo", priority, parent_id as "parentId", submitted_by as "submittedBy",
  attempts, max_attempts as "maxAttempts", trace_context as "traceContext", batch, lease_token as "leaseToken", created_at as "createdAt",
  greatest(run_at, created_at) as "readyAt"`;

/**
 * Returns work that is claimed for this daemon but unknown to it, because the response to its claim was lost. Each item has a full
 * lease and must be run or released. `known`: ids of the items it runs.
 */
export async function takeOwnClaims(
  db: Queryable,
  daemonId: string,
  known: readonly string[],
  leaseSeconds: number,
): Promise<ClaimedWork[]> {
  return db.query<ClaimedWork>(
    `select ${CLAIMED} from animus.take_own_claims($1, $2::uuid[], make_interval(secs => $3))`,
    [daemonId, known, leaseSeconds],
  );
}

/** One answer of the heartbeat. */
export interface LeaseReport {
  readonly workItemId: string;
  readonly held: boolean;
  readonly cancelRequested: boolean;
}

/**
 * Extends all leases of a daemon in one statement and says which were lost. An item whose row another transaction keeps locked
 * is left out of the answer: neither extended nor lost. Waits for no lock. Safe to repeat.
 */
export async function extendLeases(
  db: Queryable,
  daemonId: string | null,
  leases: readonly Claimed[],
  leaseSeconds: number,
): Promise<LeaseReport[]> {
  return db.query<LeaseReport>(
    `select work_item_id as "workItemId", held, cancel_requested as "cancelRequested"
       from animus.extend_leases($1, $2::uuid[], $3::bigint[], make_interval(secs => $4))`,
    [daemonId, leases.map((lease) => lease.id), leases.map((lease) => lease.leaseToken), leaseSeconds],
  );
}

/** Releases an item with its attempts unchanged, to be claimed again after `delaySeconds` (of the database's clock). */
export async function releaseWork(
  db: Queryable,
  { id, leaseToken }: Claimed,
  { delaySeconds, reason, cause }: ReleaseReason & { readonly delaySeconds: number },
): Promise<void> {
  const statement = `select animus.release_work($1, $2, animus.now() + make_interval(secs => $3), $4, $5)`;
  await db.query(statement, [id, leaseToken, delaySeconds, toText(reason), cause]);
}

/** Ends an item as completed; idempotent for the same token. */
export async function completeWork(
  db: Queryable,
  work: Claimed,
  outcome: Readonly<Record<string, unknown>>,
  summary: string | null,
): Promise<void> {
  await db.query(`select animus.complete_work($1, $2, $3::jsonb, $4)`, [
    work.id,
    work.leaseToken,
    toJsonb(outcome),
    toText(summary),
  ]);
}

/** Why an attempt failed, as stored on the item and its focus. */
export interface WorkError {
  readonly code: string;
  readonly message: string;
  readonly phase?: string;
}

/** Ends an attempt as failed: retried after `retryDelaySeconds`, or dead if that is null or no attempts are left. */
export async function failWork(
  db: Queryable,
  work: Claimed,
  error: WorkError,
  retryDelaySeconds: number | null,
  keep: 'ledger' | 'transcript' | 'nothing' = 'ledger',
): Promise<WorkState> {
  return readValue<WorkState>(
    db,
    `select animus.fail_work($1, $2, $3::jsonb, animus.now() + make_interval(secs => $4), $5)`,
    [work.id, work.leaseToken, toJsonb(error), retryDelaySeconds, keep],
  );
}

/** What a model had said of an answer that did not end. */
export interface CutOff {
  readonly turn: number;
  readonly text: string;
}

/** Ends a running item whose cancel was requested. `cutOff` is kept as text that was said. */
export async function endCancelled(db: Queryable, work: Claimed, cutOff: CutOff | null = null): Promise<void> {
  await db.query(`select animus.end_cancelled($1, $2, $3, $4)`, [
    work.id,
    work.leaseToken,
    cutOff?.turn ?? null,
    toText(cutOff?.text),
  ]);
}
