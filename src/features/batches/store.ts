/** Batches at the providers, for their poller: thin calls of the SQL functions, which hold the rules (docs/batch.md). */
import type { Queryable } from '../../store/sql/database.ts';
import { toJsonb, toText } from '../../store/sql/json.ts';
import { readValue, readValues } from '../../store/sql/read-value.ts';
import type { BatchStatus } from './feature.ts';

/** A batch as its poller needs it. */
export interface Batch {
  readonly id: string;
  /** Its name when its requests were made, for people. */
  readonly provider: string;
  readonly path: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly state: 'submitting' | 'submitted';
  readonly requests: number;
  /** The provider's id; null while it is submitted. */
  readonly providerId: string | null;
  readonly createdAt: Date;
  /** The submit was not confirmed in time: it has to be looked for. */
  readonly unclear: boolean;
  /** Milliseconds since the provider was asked about it; null if it never was. */
  readonly polledMsAgo: number | null;
  /** Every item it was for has ended, and it was not cancelled yet. */
  readonly unwanted: boolean;
}

const BATCH = `b.id, b.provider, b.path, b.model, b.headers, b.state, b.requests, b.provider_id as "providerId", b.created_at as "createdAt",
  b.state = 'submitting' and b.unclear_at <= animus.now() as unclear,
  (extract(epoch from animus.now() - b.polled_at) * 1000)::float8 as "polledMsAgo"`;

/** The places where requests or batches are under way. */
export async function placesWithBatches(db: Queryable): Promise<string[]> {
  return readValues<string>(
    db,
    `select place from animus.batch_requests where state = 'waiting' union select place from animus.batches where state <> 'ended'
      union select r.place from animus.batch_requests r join animus.foci f on f.id = r.focus_id where r.state = 'answered' and f.ended_as is not null`,
  );
}

/** Makes the daemon the poller of a place for so many seconds, or extends that. Null while another daemon polls. */
export async function holdPoller(
  db: Queryable,
  place: string,
  daemonId: string,
  seconds: number,
): Promise<string | null> {
  return readValue<string | null>(db, `select animus.hold_poller($1, $2, make_interval(secs => $3))`, [
    place,
    daemonId,
    seconds,
  ]);
}

/** Lets another daemon poll at once. */
export async function leavePoller(db: Queryable, place: string, daemonId: string): Promise<void> {
  await db.query(`select animus.leave_poller($1, $2)`, [place, daemonId]);
}

/**
 * Wakes what waits for answers from a place that no daemon polls, so that a person is asked; for a daemon that does not know the place. Returns how many
 * items, at most 100.
 */
export async function wakeStranded(db: Queryable, place: string): Promise<number> {
  return readValue<number>(db, `select animus.wake_stranded($1)`, [place]);
}

/** The batches at a place that have not ended, oldest first. */
export async function openBatches(db: Queryable, place: string): Promise<Batch[]> {
  return db.query<Batch>(
    `select ${BATCH}, b.state = 'submitted' and b.cancel_requested_at is null
         and not exists (select from animus.batch_requests r join animus.foci f on f.id = r.focus_id
                          where r.batch_id = b.id and r.state = 'sent' and f.ended_as is null) as unwanted
       from animus.batches b where b.place = $1 and b.state <> 'ended' order by b.created_at`,
    [place],
  );
}

/** The bounds of a batch, and the time after which its submit is unclear. */
export interface BatchBounds {
  readonly gatherSeconds: number;
  readonly maxRequests: number;
  readonly maxBytes: number;
  readonly unclearSeconds: number;
}

/** Forms a batch from the outbox, marked as being submitted; null if there is nothing to send. Errors: `work.lease_lost`. */
export async function markBatch(
  db: Queryable,
  place: string,
  token: string,
  bounds: BatchBounds,
): Promise<Batch | null> {
  const [row] = await db.query<Batch>(
    `select ${BATCH}, false as unwanted
       from animus.mark_batch($1, $2, make_interval(secs => $3), $4, $5, make_interval(secs => $6)) b`,
    [place, token, bounds.gatherSeconds, bounds.maxRequests, bounds.maxBytes, bounds.unclearSeconds],
  );
  return row ?? null;
}

/** A request of a batch. */
export interface SentRequest {
  readonly id: string;
  /** Null once the provider has it. */
  readonly body: string | null;
  /** False once it has an answer. */
  readonly open: boolean;
}

/** All requests of a batch, in the order in which they are sent. */
export async function batchRequests(db: Queryable, batchId: string): Promise<SentRequest[]> {
  return db.query<SentRequest>(
    `select id, body, state = 'sent' as open from animus.batch_requests where batch_id = $1 order by id`,
    [batchId],
  );
}

/** The provider's ids of batches of this database, of those given. */
export async function knownProviderIds(db: Queryable, place: string, ids: readonly string[]): Promise<string[]> {
  return readValues<string>(
    db,
    `select provider_id from animus.batches where place = $1 and provider_id = any ($2::text[])`,
    [place, ids],
  );
}

/** Records the provider's id. False if the batch was given up as lost: then it must be cancelled there. */
export async function confirmBatch(db: Queryable, id: string, providerId: string): Promise<boolean> {
  return readValue<boolean>(db, `select animus.confirm_batch($1, $2)`, [id, toText(providerId)]);
}

/** Returns the requests of a batch that the provider certainly does not have to the outbox. Errors: `work.lease_lost`. */
export async function returnBatch(
  db: Queryable,
  batch: { readonly id: string; readonly token: string },
  why: { readonly endedAs: 'refused' | 'lost'; readonly problem: string; readonly delaySeconds: number },
): Promise<void> {
  await db.query(`select animus.return_batch($1, $2, $3, $4, make_interval(secs => $5))`, [
    batch.id,
    batch.token,
    why.endedAs,
    toText(why.problem),
    why.delaySeconds,
  ]);
}

/** Stores an answer and wakes its item; false if there was nothing to answer. Errors: `work.locked`. */
export async function answerRequest(db: Queryable, id: string, answer: string): Promise<boolean> {
  return readValue<boolean>(db, `select animus.answer_request($1, $2)`, [id, toText(answer)]);
}

/** Answers that nobody will record, because their focus has ended; at most 100. */
export async function unrecordedAnswers(
  db: Queryable,
  place: string,
): Promise<{ readonly id: string; readonly model: string; readonly answer: string }[]> {
  return db.query(
    `select r.id, r.model, r.answer from animus.batch_requests r join animus.foci f on f.id = r.focus_id
      where r.place = $1 and r.state = 'answered' and f.ended_as is not null order by r.id limit 100`,
    [place],
  );
}

/** Ends such an answer and books what it has cost; `paid` null: nothing. Errors: `work.locked`. */
export async function withdrawAnswer(
  db: Queryable,
  id: string,
  paid: { readonly model: string; readonly usage: object | null; readonly costUsd: number | null } | null,
): Promise<void> {
  const json = paid && toJsonb({ model: paid.model, usage: paid.usage, cost_usd: paid.costUsd });
  await db.query(`select animus.withdraw_answer($1, $2::json)`, [id, json]);
}

/** Ends a batch; false while one of its requests has no answer. Errors: `work.lease_lost`. */
export async function endBatch(
  db: Queryable,
  batch: { readonly id: string; readonly token: string },
  endedAs: 'collected' | 'not_run',
  problem: string | null,
): Promise<boolean> {
  return readValue<boolean>(db, `select animus.end_batch($1, $2, $3, $4)`, [
    batch.id,
    batch.token,
    endedAs,
    toText(problem),
  ]);
}

/** Records that the provider was asked about a batch, the problem with it, and that it was cancelled. Errors: `work.lease_lost`. */
export async function noteBatch(
  db: Queryable,
  batch: { readonly id: string; readonly token: string },
  note: { readonly problem: string | null; readonly cancelled?: boolean },
): Promise<void> {
  await db.query(`select animus.note_batch($1, $2, $3, $4)`, [
    batch.id,
    batch.token,
    toText(note.problem),
    note.cancelled ?? false,
  ]);
}

/** Errors: `db.forbidden`. */
export async function readBatchStatus(db: Queryable): Promise<readonly BatchStatus[]> {
  return readValue<readonly BatchStatus[]>(db, `select animus.batch_status() -> 'batches'`);
}
