/** Decides whether a turn can be recorded together with the beginning of the next one. Pure. */
import type { Transcript } from '../../store/transcript/transcript.ts';
import type { TurnMeans } from '../turn/model-turn.ts';
import { judgeUnended, type Limits } from '../verdict/verdict.ts';
import { contextLimits } from './context-bounds.ts';
import { type ContextMeans, contextSettings } from './context-prepare.ts';
import { planContext } from './plan-context.ts';
import { inputPressure } from './pressure.ts';

export type StraightMeans = ContextMeans &
  Limits &
  Pick<TurnMeans, 'systemPrompt' | 'toolSpecs'> & {
    /** Asks the loop to stop at the next turn boundary. */
    readonly drain: AbortSignal;
  };

/**
 * True if nothing has to be recorded, and nothing decided, between the newest turn, all of whose calls have ended, and the next request:
 * the loop goes on, says nothing, and the context needs no change.
 */
export function goesStraightOn(transcript: Transcript, means: StraightMeans): boolean {
  // What runs before a request may add a message.
  if (means.drain.aborted || means.beforeRequest !== undefined) return false;
  const newest = transcript.turns.at(-1)!;
  if (newest.stopReason === 'context_overflow') return false;
  const verdict = judgeUnended(newest, transcript, means);
  if (verdict === null || verdict.kind === 'end' || verdict.say.length > 0) return false;
  const { oversized, messages, closes } = planContext(transcript, [], contextSettings(means));
  if (oversized.length > 0 || messages.length > 0 || closes) return false;
  return inputPressure(transcript, means) <= contextLimits(means.bounds, means.model).prompt;
}
