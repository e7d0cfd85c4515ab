/** Takes a model turn: under limits, what it may cost is held, on disk, before its request is sent. What failed requests may have cost is recorded. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { FailureKind, LlmFailure } from '../../llm/client.ts';
import { MAX_LOST } from '../../llm/failure-costs.ts';
import { beginTurn, type TurnBeginning } from '../../store/transcript/begin-turn.ts';
import { giveBackTurn, loseTurn } from '../../store/transcript/budgeted-turns.ts';
import { readMail } from '../../store/transcript/mail.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import { count } from '../../telemetry/metrics.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { FocusBudget } from '../turn/focus-budget.ts';
import type { BegunTurn, ModelTurn, TurnMeans } from '../turn/model-turn.ts';
import { renderMessages } from './context.ts';
import type { ContextMeans } from './context-prepare.ts';
import { unansweredMail } from './mail.ts';
import type { Prefix } from './pressure.ts';
import { turnCost } from './turn-cost.ts';

type BudgetedMeans = Pick<ContextMeans, 'db' | 'focus' | 'faculty' | 'journal' | 'signal' | 'model'> &
  Pick<TurnMeans, 'unsent'> &
  Prefix & { readonly budget: FocusBudget };

/** Asks the model for the next turn of a transcript; the turn is begun already where `begun` is given. */
type Take = (transcript: Transcript, begun?: BegunTurn) => Promise<ModelTurn>;

/** Under limits, a request that broke is sent again only with a new hold. */
const BROKEN: ReadonlySet<FailureKind> = new Set(['connection', 'timeout', 'protocol', 'overloaded']);

/**
 * Takes the next turn, within the limits if there are any. `sent` is the transcript including a notice that most of a budget is used.
 * Without limits, it calls `take` once: the client sends a request again by itself.
 */
export async function takeBudgetedTurn(
  transcript: Transcript,
  means: BudgetedMeans,
  take: Take,
  begun?: BegunTurn,
): Promise<{ readonly sent: Transcript; readonly taken: ModelTurn }> {
  if (!means.budget.limited) {
    const taken = await take(transcript, begun);
    if (taken.kind === 'failed') await settle(taken.failure, transcript, means);
    if (taken.kind !== 'refused' || taken.permit !== 'reserve') return { sent: transcript, taken };
    means.budget.limited = true;
  }
  let sent = transcript;
  for (let lost = 0; ; ) {
    const held = await hold(sent, means);
    if (held.permit !== 'go') return { sent, taken: refused(held, means) };
    sent = { ...sent, messages: [...sent.messages, ...noticesOf(held.messages ?? [], sent)] };
    const taken = await take(sent, { permit: 'go', messages: renderMessages(sent) });
    if (taken.kind !== 'failed') return { sent, taken };
    const { failure } = taken;
    await settle(failure, sent, means);
    lost += failure.lost;
    if (failure.lost === 0 || lost >= MAX_LOST || !BROKEN.has(failure.kind))
      return { sent, taken: { ...taken, failure: { ...failure, lost } } };
    await systemClock.sleep(1000 * 2 ** (lost - 1) * Math.random(), means.signal);
  }
}

/** Holds what the turn may cost, and waits until that is on disk. */
async function hold(transcript: Transcript, means: BudgetedMeans): Promise<TurnBeginning> {
  const { db, focus, journal, signal, budget, unsent } = means;
  const turn = transcript.turns.length + 1;
  const inBatch = means.model.batch !== undefined;
  const reservation = { ...turnCost(transcript, means), request: randomUUID() };
  if (!inBatch) unsent.begins(turn);
  for (let tries = 0; ; ) {
    const held = await withinLease(() => {
      tries += 1;
      return journal.handOver((results) => beginTurn(db, focus, turn, reservation, results, inBatch));
    }, signal);
    if (held.permit !== 'go') {
      unsent.isOver();
      return held;
    }
    if (tries > 1 && (await hasNewMail(transcript, means))) {
      await withinLease(() => giveBackTurn(db, focus, turn), signal);
      unsent.isOver();
      return { permit: 'mail' };
    }
    for (const used of held.used ?? []) {
      count('work.budget.warnings', 1, { faculty: means.faculty, scope: used.scope });
      budget.onUsed(used);
    }
    // False after a crash of the server, which may have lost the beginning.
    if (await withinLease(() => budget.keepTurn(focus.focusId, turn), signal)) return held;
  }
}

/** A try whose response was lost may have delivered messages. */
async function hasNewMail(transcript: Transcript, { db, focus, signal }: BudgetedMeans): Promise<boolean> {
  const mail = await withinLease(() => readMail(db, focus.focusId, transcript.turns.length), signal);
  return mail.length > unansweredMail(transcript);
}

function refused(held: Exclude<TurnBeginning, { permit: 'go' }>, { faculty }: BudgetedMeans): ModelTurn {
  if (held.permit === 'budget') {
    count('work.budget.refusals', 1, { faculty, result: held.action });
    return { kind: 'refused', permit: 'budget', exceeded: held };
  }
  if (held.permit === 'budget_busy') count('work.budget.refusals', 1, { faculty, result: 'busy' });
  return { kind: 'refused', permit: held.permit };
}

/** As the function in SQL has recorded them. */
function noticesOf(messages: readonly string[], { turns }: Transcript) {
  return messages.map((content) => ({ afterTurn: turns.length, kind: 'notice' as const, content }));
}

/** Gives back what certainly was not spent, or counts it as lost. */
async function settle({ lost }: LlmFailure, sent: Transcript, { db, focus, signal }: BudgetedMeans): Promise<void> {
  const turn = sent.turns.length + 1;
  await withinLease(() => (lost === 0 ? giveBackTurn(db, focus, turn) : loseTurn(db, focus, turn, lost)), signal);
}
