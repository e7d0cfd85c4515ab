/** Records an answer: alone, with the ends of its calls and the beginning of the next turn, or with the end of the focus. */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { LlmResponse } from '../../llm/client.ts';
import type { Database } from '../../store/sql/database.ts';
import { beginTurn, type Reservation, type TurnPermit } from '../../store/transcript/begin-turn.ts';
import { closeRequest } from '../../store/transcript/batch-requests.ts';
import type { FocusKey } from '../../store/transcript/focus-row.ts';
import { readMail } from '../../store/transcript/mail.ts';
import { answerJson, type RecordedTurn, recordTurn } from '../../store/transcript/turns.ts';
import type { WholeTurn } from '../calls/early-calls.ts';
import type { Journal } from '../calls/journal.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { FocusListener } from '../events/events.ts';
import { textOf } from './text-of.ts';
import type { UnsentTurn } from './unsent-turn.ts';

/** The dependencies of a record. */
interface RecordMeans {
  readonly db: Database;
  readonly focus: FocusKey;
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly onEvent: FocusListener;
  /** The number of messages of people in the request that no answer has followed. */
  readonly knownMail: number;
  readonly reserves: TurnReserves;
  readonly inBatch: boolean;
  readonly unsent: UnsentTurn;
}

/** What is reserved for requests. */
export interface TurnReserves {
  /** For the request of the present turn: the same each time. */
  own(): Reservation;
  /** For the request after this turn. */
  after(turn: RecordedTurn): Reservation;
}

type Refused = Exclude<TurnPermit, 'go'>;

/** An answer and what it costs; `requestId` is its request in a batch. */
export interface Answered {
  readonly kind: 'answered';
  readonly response: LlmResponse;
  /** Null: not known. */
  readonly cost: number | null;
  readonly requestId: string | null;
}

/** An answer without calls that was not recorded by itself. */
export interface UnrecordedTurn {
  readonly turn: number;
  /** As `answerJson` returns it. */
  readonly answer: string;
  /** Records it by itself after all. Returns why it may not be recorded any more, or null. Idempotent. Errors: those of `recordTurn`. */
  record(): Promise<Refused | null>;
}

/** Begins a turn, and records the ends of calls that are not recorded yet. */
export async function begin(turn: number, means: RecordMeans): Promise<TurnPermit> {
  const { db, focus, journal, signal, knownMail } = means;
  const reservation = means.reserves.own();
  let tries = 0;
  const permit = await withinLease(() => {
    tries += 1;
    return journal.handOver((results) => beginTurn(db, focus, turn, reservation, results, means.inBatch));
  }, signal);
  return tries > 1 ? permitAfterLoss(permit.permit, turn, knownMail, means) : permit.permit;
}

/** The permit of a turn where the response to an earlier try was lost: that one may have delivered messages. */
async function permitAfterLoss(
  permit: TurnPermit,
  turn: number,
  known: number,
  { db, focus, signal, unsent }: RecordMeans,
): Promise<TurnPermit> {
  if (permit !== 'go') return permit;
  const mail = await withinLease(() => readMail(db, focus.focusId, turn - 1), signal);
  if (mail.length <= known) return permit;
  // It is begun again for a request with the messages.
  await unsent.giveBack();
  return 'mail';
}

/** Records the answer; its calls are run after that. Returns why it may not be recorded any more, or null. */
export async function recordAlone(turn: RecordedTurn, answered: Answered, means: RecordMeans): Promise<Refused | null> {
  const kept = await record(turn, means, () => keep(turn, answered, means).then(() => null));
  if (kept === null) announce(turn, answered, means);
  return kept;
}

/** Records the answer with the ends of all its calls, and begins the next turn. Returns why it may not be recorded any more, or the permit. */
export async function recordWhole(
  whole: WholeTurn,
  answered: Answered,
  means: RecordMeans,
): Promise<Refused | { readonly next: TurnPermit }> {
  const { turn, ends } = whole;
  const { response, cost } = answered;
  const next = means.reserves.after(turn);
  let tries = 0;
  means.unsent.begins(turn.turn + 1);
  const kept = await record(turn, means, async () => {
    tries += 1;
    const permit = await recordTurn(means.db, means.focus, turn, response, cost, { ends, reservation: next });
    return { next: permit! };
  });
  if (typeof kept === 'string') {
    means.unsent.isOver();
    return kept;
  }
  announce(turn, answered, means);
  whole.announce();
  return tries > 1 ? { next: await permitAfterLoss(kept.next, turn.turn + 1, 0, means) } : kept;
}

/** Writes the answer for as long as the lease lasts; returns why it may not be recorded any more. What came before it is durable with it. */
async function record<T>({ turn }: RecordedTurn, means: RecordMeans, write: () => Promise<T>): Promise<T | Refused> {
  const written = await withinLease(() => begunAgain(turn, means, write), means.signal);
  means.journal.kept();
  return written;
}

/**
 * Leaves the recording of an answer that ends the run to the end of the focus, which follows at once. Until then the answer is only in
 * memory, as it is while it is being recorded by itself; writing the end is retried for as long as the lease lasts.
 */
export function leaveUnrecorded(turn: RecordedTurn, answered: Answered, means: RecordMeans): UnrecordedTurn {
  announce(turn, answered, means);
  return {
    turn: turn.turn,
    answer: answerJson(turn, answered.response, answered.cost),
    record: () => begunAgain(turn.turn, means, () => keep(turn, answered, means).then(() => null)),
  };
}

/** Notifies watchers of an answer. */
function announce(recorded: RecordedTurn, { response }: Answered, means: RecordMeans): void {
  means.onEvent({
    type: 'turn_recorded',
    turn: recorded.turn,
    model: `${recorded.provider}/${recorded.model}`,
    text: textOf(recorded),
    calls: recorded.calls.length,
    inputTokens: response.usage?.input ?? null,
    outputTokens: response.usage?.output ?? null,
    ...(response.usage?.estimated && { estimated: true }),
  });
}

/** Makes the answer durable, and closes its request if it came in a batch. */
function keep(turn: RecordedTurn, { response, cost, requestId }: Answered, { db, focus }: RecordMeans): Promise<void> {
  if (requestId === null) return recordTurn(db, focus, turn, response, cost).then(() => {});
  return db.transaction(async (tx) => {
    await recordTurn(tx, focus, turn, response, cost);
    await closeRequest(tx, focus, requestId, 'recorded');
  });
}

/** Writes to a begun turn; returns why that is not possible any more. */
export async function begunAgain<T>(turn: number, means: RecordMeans, write: () => Promise<T>): Promise<T | Refused> {
  try {
    return await write();
  } catch (error) {
    if (!isAnimusError(error, 'work.state')) throw error;
    // The server has crashed since and lost the beginning of the turn, which does not wait for the disk: write it again, with the ends of calls.
    const again = await begin(turn, means);
    return again === 'go' ? write() : again;
  }
}
