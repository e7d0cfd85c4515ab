/** Records an answer: alone, with the ends of its calls and the beginning of the next turn, or with the end of the focus. */
import type { Database } from '../../store/sql/database.ts';
import { closeRequest } from '../../store/transcript/batch-requests.ts';
import type { TurnPermit } from '../../store/transcript/begin-turn.ts';
import { answerJson, type NextTurn, type RecordedTurn, recordTurn } from '../../store/transcript/turns.ts';
import type { WholeTurn } from '../calls/reads.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { Answered } from './ask-model.ts';
import { hasNewMail, type OpenTurn, type Refusal, writeBegun } from './begin-turn.ts';
import type { LoopFocus, LoopRun } from './loop-state.ts';
import { textOf } from './text-of.ts';

/** The answer that ends a run, before it is recorded: until then it is only in memory, as while it is recorded by itself. */
export interface LastAnswer {
  readonly turn: number;
  /** As `answerJson` returns it. */
  readonly answer: string;
  /** Records it by itself after all. Returns why it may not be recorded any more, or null. Idempotent. Errors: those of `recordTurn`. */
  record(): Promise<Refusal | null>;
}

/**
 * Records the answer, which is durable then, with all that came before it; retried while the database is unreachable and the lease lasts. Returns why it may not be
 * recorded any more, or null.
 */
export async function recordAnswer(
  answer: RecordedTurn,
  answered: Answered,
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
): Promise<Refusal | null> {
  const kept = await record(answered.turn, focus, run, db, () => keep(answer, answered, focus, db));
  if (isRefusal(kept)) return kept;
  announce(answer, answered, run);
  return null;
}

/** Records the answer with the ends of all its calls, and begins the next turn. Returns why it may not be recorded any more, or the permit of that. */
export async function recordWithNext(
  whole: WholeTurn,
  answered: Answered,
  next: OpenTurn,
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
): Promise<Refusal | { readonly kind: 'recorded'; readonly permit: TurnPermit }> {
  let tries = 0;
  run.unsent.begins(next.number);
  const permit = await record(answered.turn, focus, run, db, () => {
    tries += 1;
    return keep(whole.turn, answered, focus, db, { ends: whole.ends, reservation: next.reservation });
  });
  if (isRefusal(permit)) {
    run.unsent.isOver();
    return permit;
  }
  announce(whole.turn, answered, run);
  whole.announce();
  if (tries > 1 && permit === 'go' && (await hasNewMail(next, focus.key, run, db))) {
    // It is begun again for a request with the messages.
    await run.unsent.giveBack();
    return { kind: 'recorded', permit: 'mail' };
  }
  if (permit !== 'go') run.unsent.isOver();
  return { kind: 'recorded', permit: permit! };
}

/** Leaves the recording to the end of the focus, which follows at once; writing that is retried for as long as the lease lasts. */
export function leaveToEnd(
  answer: RecordedTurn,
  answered: Answered,
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
): LastAnswer {
  announce(answer, answered, run);
  return {
    turn: answer.turn,
    answer: answerJson(answer, answered.response, answered.cost),
    record: async () => {
      const kept = await writeBegun(answered.turn, focus, run, db, () => keep(answer, answered, focus, db));
      return isRefusal(kept) ? kept : null;
    },
  };
}

/** Writes the answer for as long as the lease lasts. What came before it is durable with it. */
async function record<T>(
  turn: OpenTurn,
  focus: LoopFocus,
  run: LoopRun,
  db: Database,
  write: () => Promise<T>,
): Promise<T | Refusal> {
  const written = await withinLease(() => writeBegun(turn, focus, run, db, write), run.signal);
  run.journal.kept();
  return written;
}

/** Makes the answer durable, and closes its request if it came in a batch. */
function keep(
  turn: RecordedTurn,
  { response, cost, requestId }: Answered,
  { key }: LoopFocus,
  db: Database,
  next: NextTurn | null = null,
): Promise<TurnPermit | null> {
  if (requestId === null) return recordTurn(db, key, turn, response, cost, next);
  return db.transaction(async (tx) => {
    await recordTurn(tx, key, turn, response, cost);
    await closeRequest(tx, key, requestId, 'recorded');
    return null;
  });
}

function isRefusal(kept: TurnPermit | null | Refusal): kept is Refusal {
  return typeof kept === 'object' && kept !== null;
}

/** Notifies watchers of an answer and its parts. */
function announce(recorded: RecordedTurn, { response }: Answered, { onEvent }: LoopRun): void {
  const { turn, provider, model, calls } = recorded;
  onEvent({
    type: 'turn',
    turn,
    model: `${provider}/${model}`,
    inputTokens: response.usage?.input ?? null,
    outputTokens: response.usage?.output ?? null,
    ...(response.usage?.estimated && { estimated: true }),
  });
  const text = textOf(recorded);
  if (text !== '') onEvent({ type: 'text', turn, text });
  for (const { callId, name, input } of calls) onEvent({ type: 'call', turn, callId, parentCallId: null, name, input });
}
