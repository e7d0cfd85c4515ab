/** Takes a model turn within the limits of the context. */
import { randomUUID } from 'node:crypto';

import type { Reservation } from '../../store/transcript/begin-turn.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import type { FocusBudget } from '../turn/focus-budget.ts';
import { type BegunTurn, type FocusModel, type ModelTurn, type TurnMeans, takeModelTurn } from '../turn/model-turn.ts';
import { asksForOutcome } from '../verdict/closing.ts';
import { judge, type Limits } from '../verdict/verdict.ts';
import type { BeforeRequestVerdict } from './before-request.ts';
import { takeBudgetedTurn } from './budgeted-turn.ts';
import { type CompactMeans, compactAfterOverflow, compactUnderPressure } from './compact-context.ts';
import { renderMessages } from './context.ts';
import { newestFold } from './context-folds.ts';
import { prepareContext } from './context-prepare.ts';
import { unansweredMail } from './mail.ts';
import { goesStraightOn, type StraightMeans } from './straight-on.ts';
import { turnCost } from './turn-cost.ts';

type BoundedMeans = Omit<
  TurnMeans,
  'endsWith' | 'goesStraightOn' | 'messagesAfter' | 'knownMail' | 'reserves' | 'inBatch'
> &
  CompactMeans &
  StraightMeans &
  Limits &
  Pick<EndMeans, 'recordsEnd'> & { readonly budget: FocusBudget };

/** What runs before requests refused this one. */
export interface BlockedTurn {
  readonly kind: 'blocked';
  readonly reason: string;
}

/** How the run may end. */
export interface EndMeans {
  /** Whether the end of the focus can record the last answer; asked when the answer is there. Default: no. */
  readonly recordsEnd?: () => boolean;
}

/**
 * Prepares the context, asks what runs before requests, compacts the context if it is full, and takes the next turn. If the window cut off the last answer, the context is
 * compacted in any case; a request that the provider refuses as too long is compacted and sent once more. `sent` is
 * the transcript including everything that was recorded on the way. If the turn was begun with the one before it (`begun`), the context
 * needs no change.
 */
export async function takeBoundedTurn(
  transcript: Transcript,
  means: BoundedMeans,
  begun?: BegunTurn,
): Promise<{ readonly sent: Transcript; readonly taken: ModelTurn | BlockedTurn }> {
  const bounded = begun === undefined ? await bound(transcript, means) : { sent: transcript };
  if ('reason' in bounded) return { sent: bounded.sent, taken: { kind: 'blocked', reason: bounded.reason } };
  const takeOne = (from: Transcript, turn?: BegunTurn) => take(from, means, turn);
  const first = await takeBudgetedTurn(bounded.sent, means, takeOne, begun);
  if (first.taken.kind !== 'failed' || first.taken.failure.kind !== 'context_overflow') return first;
  const smaller = await compactAfterOverflow(first.sent, means);
  return smaller ? takeBudgetedTurn(smaller, means, takeOne) : first;
}

/** Before the context is compacted, so that a message that is added counts. */
async function bound(
  transcript: Transcript,
  means: BoundedMeans,
): Promise<{ readonly sent: Transcript; readonly reason?: string }> {
  const context = await prepareContext(transcript, means);
  const verdict = await judgeRequest(context, means);
  if (verdict.kind === 'blocked') return { sent: context, reason: verdict.reason };
  const prepared = { ...context, messages: [...context.messages, ...verdict.added] };
  if (!wasCutByWindow(prepared)) return { sent: await compactUnderPressure(prepared, means) };
  return { sent: (await compactAfterOverflow(prepared, means)) ?? prepared };
}

async function judgeRequest(
  context: Transcript,
  { beforeRequest, signal, time }: BoundedMeans,
): Promise<BeforeRequestVerdict> {
  if (beforeRequest === undefined) return { kind: 'go', added: [] };
  return time.elsewhere(beforeRequest(context.turns.length + 1, () => renderMessages(context), signal));
}

/** False if a resumed focus finds that the summary for this answer was already made. */
function wasCutByWindow(transcript: Transcript): boolean {
  const newest = transcript.turns.at(-1);
  return newest?.stopReason === 'context_overflow' && newestFold(transcript)?.afterTurn !== newest.turn;
}

function take(transcript: Transcript, means: BoundedMeans, begun?: BegunTurn): Promise<ModelTurn> {
  const withTurn = (turn: RecordedTurn) => ({ ...transcript, turns: [...transcript.turns, turn] });
  const turnMeans: TurnMeans = {
    ...means,
    model: modelFor(transcript, means),
    knownMail: unansweredMail(transcript),
    endsWith: async (turn) => (means.recordsEnd?.() ?? false) && (await isDone(turn, withTurn(turn), means)),
    // Under limits, a turn begins by itself: its hold must not wait for the disk.
    goesStraightOn: (turn) => !means.budget.limited && goesStraightOn(withTurn(turn), means),
    payOnce: means.budget.limited,
    inBatch: means.model.batch !== undefined,
    messagesAfter: (turn) => renderMessages(withTurn(turn)),
    reserves: { own: once(() => reserve(transcript, means)), after: (turn) => reserve(withTurn(turn), means) },
  };
  const messages = begun?.messages ?? renderMessages(transcript);
  return takeModelTurn(transcript.turns.length + 1, messages, turnMeans, begun?.permit);
}

function reserve(transcript: Transcript, means: BoundedMeans): Reservation {
  return { usd: turnCost(transcript, means).usd, tokens: null, request: randomUUID() };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** An answer with calls never ends a run: its calls need not wait for the judgement. */
async function isDone(turn: RecordedTurn, transcript: Transcript, limits: Limits): Promise<boolean> {
  if (turn.calls.length > 0) return false;
  const verdict = await judge(turn, transcript, limits);
  return verdict.kind === 'end' && verdict.end.kind === 'done';
}

/** The model with the settings of the next request, which may ask for the outcome alone. */
function modelFor(transcript: Transcript, { model }: Pick<TurnMeans, 'model'>): FocusModel {
  const { settings } = model;
  if (settings.outputSchema === undefined || !asksForOutcome(transcript)) return model;
  return { ...model, settings: { ...settings, closing: true } };
}
