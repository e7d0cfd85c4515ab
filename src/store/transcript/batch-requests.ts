/** The requests of a focus's turns that a provider answers in batches. The SQL functions hold the rules (docs/batch.md). */
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import type { FocusKey } from './focus-row.ts';

/** A request as it is put into the outbox. */
export interface BatchRequest {
  /** Its name now, for people. */
  readonly provider: string;
  /** Where its batches are, whatever its name is later. */
  readonly place: string;
  /** Of the API that each request of the batch is for. */
  readonly path: string;
  readonly model: string;
  /** Headers of the batch; requests with different ones go into different batches. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  /** What it may cost at most, in USD; null or left out: not known. */
  readonly reserved_usd?: number | null;
}

/** The request under way for a turn; `answer` is there once the state is `answered`. */
export interface RequestUnderWay {
  readonly id: string;
  readonly state: 'waiting' | 'sent' | 'answered';
  readonly answer: string | null;
}

/** The request under way for a turn, or null. */
export async function readRequestUnderWay(
  db: Queryable,
  focus: FocusKey,
  turn: number,
): Promise<RequestUnderWay | null> {
  const [row] = await db.query<RequestUnderWay>(
    `select id, state, answer from animus.batch_requests where focus_id = $1 and turn = $2 and state in ('waiting', 'sent', 'answered')`,
    [focus.focusId, turn],
  );
  return row ?? null;
}

/**
 * Puts the request of a begun turn into the outbox and opens its wait. If one is under way, that one counts, and this request is not
 * put. Errors: `work.state` for a turn that was not begun, `work.lease_lost`.
 */
export async function putTurn(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  turn: number,
  request: BatchRequest,
): Promise<void> {
  const put = `select id, state from animus.put_turn($1, $2, $3, $4::json)`;
  await db.query(put, [focusId, leaseToken, turn, toJsonb(request)]);
}

/**
 * Ends an answered request: `recorded` in the transaction that records the turn, `failed` before the turn is asked again; `free`: failed, and it
 * certainly cost nothing.
 */
export async function closeRequest(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  id: string,
  as: 'recorded' | 'failed' | 'free',
): Promise<void> {
  const isFree = as === 'free';
  const close = `select animus.close_request($1, $2, $3, $4, $5)`;
  await db.query(close, [focusId, leaseToken, id, isFree ? 'failed' : as, isFree]);
}
