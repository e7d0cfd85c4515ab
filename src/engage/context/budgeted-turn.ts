/** Takes a model turn under limits: what it may cost is held, on disk, before its request is sent. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../core/lifecycle/clock.ts';
import { type FailureKind, type LlmFailure, mayHaveCost } from '../../llm/client.ts';
import { type BudgetedPermit, beginBudgetedTurn, giveBackTurn } from '../../store/transcript/budgeted-turns.ts';
import { readMail } from '../../store/transcript/mail.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import { count } from '../../telemetry/metrics.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { FocusBudget } from '../turn/focus-budget.ts';
import type { BegunTurn, ModelTurn } from '../turn/model-turn.ts';
import { renderMessages } from './context.ts';
import type { ContextMeans } from './context-prepare.ts';
import { unansweredMail } from './mail.ts';
import type { Prefix } from './pressure.ts';
import { turnCost } from './turn-cost.ts';

type BudgetedMeans = Pick<ContextMeans, 'db' | 'focus' | 'faculty' | 'journal' | 'signal' | 'model'> &
  Prefix & { readonly budget: FocusBudget };

/** Asks the model for the next turn of a transcript; the turn is begun already where `begun` is given. */
type Take = (transcript: Transcript, begun?: BegunTurn) => Promise<ModelTurn>;

/** A request that broke may have cost something: it is sent again only with a new hold. */
const MAX_TRIES = 3;
const BROKEN: ReadonlySet<FailureKind> = new Set(['connection', 'timeout', 'protocol', 'overloaded']);

/**
 * Takes the next turn, within the limits if there are any. `sent` is the transcript including a notice that most of a budget is used.
 * Without limits, it calls `take` and nothing else.
 */
export async function takeBudgetedTurn(
  transcript: Transcript,
  means: BudgetedMeans,
  take: Take,
  begun?: BegunTurn,
): Promise<{ readonly sent: Transcript; readonly taken: ModelTurn }> {
  if (!means.budget.limited) {
    const taken = await take(transcript, begun);
    if (taken.kind !== 'refused' || taken.permit !== 'reserve') return { sent: transcript, taken };
    means.budget.limited = true;
  }
  let sent = transcript;
  for (let tries = 1; ; tries++) {
    const held = await hold(sent, means);
    if (held.permit !== 'go') return { sent, taken: refused(held, means) };
    sent = { ...sent, messages: [...sent.messages, ...noticesOf(held.messages, sent)] };
    const taken = await take(sent, { permit: 'go', messages: renderMessages(sent) });
    if (taken.kind !== 'failed' || !(await sendsAgain(taken.failure, sent, tries, means))) return { sent, taken };
  }
}

/** Holds what the turn may cost, and waits until that is on disk. */
async function hold(transcript: Transcript, means: BudgetedMeans): Promise<BudgetedPermit> {
  const { db, focus, journal, signal, budget } = means;
  const turn = transcript.turns.length + 1;
  const reservation = { ...turnCost(transcript, means), attempt: randomUUID() };
  for (let tries = 0; ; ) {
    const held = await withinLease(() => {
      tries += 1;
      return journal.handOver((results) => beginBudgetedTurn(db, focus, turn, reservation, results));
    }, signal);
    if (held.permit !== 'go') return held;
    if (tries > 1 && (await hasNewMail(transcript, means))) {
      await withinLease(() => giveBackTurn(db, focus, turn), signal);
      return { permit: 'mail' };
    }
    for (const used of held.used) {
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

function refused(held: Exclude<BudgetedPermit, { permit: 'go' }>, { faculty }: BudgetedMeans): ModelTurn {
  if (held.permit === 'budget') {
    count('work.budget.refusals', 1, { faculty, result: held.action });
    return { kind: 'refused', permit: 'budget', exceeded: { action: held.action, message: held.message } };
  }
  if (held.permit === 'budget_busy') count('work.budget.refusals', 1, { faculty, result: 'busy' });
  return { kind: 'refused', permit: held.permit };
}

/** As the function in SQL has recorded them. */
function noticesOf(messages: readonly string[], { turns }: Transcript) {
  return messages.map((content) => ({ afterTurn: turns.length, kind: 'notice' as const, content }));
}

/** Gives back what certainly was not spent; whether the same request should be sent again, after a pause. */
async function sendsAgain(
  failure: LlmFailure,
  sent: Transcript,
  tries: number,
  means: BudgetedMeans,
): Promise<boolean> {
  const { focus, signal } = means;
  if (!mayHaveCost(failure)) {
    await withinLease(() => giveBackTurn(means.db, focus, sent.turns.length + 1), signal);
    return false;
  }
  if (tries === MAX_TRIES || !BROKEN.has(failure.kind)) return false;
  await systemClock.sleep(1000 * 2 ** (tries - 1) * Math.random(), signal);
  return true;
}
