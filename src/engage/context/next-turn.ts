/** The next turn of a transcript: what it is begun with, and whether it can be begun with the record of the answer before it. Pure. */
import { randomUUID } from 'node:crypto';
import type { Transcript } from '../../store/transcript/transcript.ts';
import type { OpenTurn } from '../turn/begin-turn.ts';
import type { FocusModel } from '../turn/focus-model.ts';
import type { LoopFocus, LoopReach, LoopRun } from '../turn/loop-state.ts';
import { asksForOutcome } from '../verdict/closing.ts';
import { judgeUnended } from '../verdict/verdict.ts';
import { contextLimits } from './context-bounds.ts';
import { contextSettings } from './context-prepare.ts';
import { unansweredMail } from './mail.ts';
import { planContext } from './plan-context.ts';
import { inputPressure } from './pressure.ts';
import { turnCost } from './turn-cost.ts';

/** The next turn, with a new request. */
export function nextTurn(transcript: Transcript, focus: LoopFocus): OpenTurn {
  const reservation = { ...turnCost(transcript, focus), request: randomUUID() };
  return { number: transcript.turns.length + 1, reservation, mail: unansweredMail(transcript) };
}

/** The focus with the model's settings for the next request, which may ask for the outcome alone. */
export function askedNext(transcript: Transcript, focus: LoopFocus): LoopFocus {
  const model: FocusModel = focus.model;
  const { settings } = model;
  if (settings.outputSchema === undefined || !asksForOutcome(transcript)) return focus;
  return { ...focus, model: { ...model, settings: { ...settings, closing: true } } };
}

/**
 * True if nothing has to be recorded, and nothing decided, between the newest turn, all of whose calls have ended, and the next request:
 * the loop goes on, says nothing, and the context needs no change.
 */
export function nothingBetween(transcript: Transcript, focus: LoopFocus, run: LoopRun, reach: LoopReach): boolean {
  // Under limits, a turn begins with a statement of its own: its hold must not wait for the disk. What runs before a request may add a message.
  if (run.budget.limited || run.drain.aborted || reach.beforeRequest !== undefined) return false;
  const newest = transcript.turns.at(-1)!;
  if (newest.stopReason === 'context_overflow') return false;
  const verdict = judgeUnended(newest, transcript, focus.limits);
  if (verdict === null || verdict.kind === 'end' || verdict.say.length > 0) return false;
  const { oversized, messages, closes } = planContext(transcript, [], contextSettings(focus));
  if (oversized.length > 0 || messages.length > 0 || closes) return false;
  return inputPressure(transcript, focus) <= contextLimits(focus.bounds, focus.model).prompt;
}
