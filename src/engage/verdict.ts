/** What an answer means for the loop: the guards that end a run which goes wrong, with a reason a person understands. */
import type { EngineMessage, RecordedTurn, Transcript } from '../store/transcript.ts';
import type { EngageEnd } from './engage-end.ts';
import { textOf } from './model-turn.ts';
import { cutAnswerNotice, EMPTY_ANSWER_NUDGE } from './prompt.ts';

/** What the newest answer means: the loop ends, goes on, or says something to the model first. */
export type Verdict =
  | { readonly kind: 'end'; readonly end: EngageEnd }
  | { readonly kind: 'go_on' }
  | { readonly kind: 'say'; readonly message: Pick<EngineMessage, 'kind' | 'content'> };

/** Judges the newest turn, its calls all ended. Pure: a resumed focus comes to the same verdict. */
export function judge(turn: RecordedTurn, transcript: Transcript, limits: { readonly maxTurns: number }): Verdict {
  const said = transcript.messages.some((message) => message.afterTurn === turn.turn);
  const more = turn.calls.length > 0 || turn.stopReason === 'pause_turn' || turn.stopReason === 'max_tokens';
  if (turn.stopReason === 'refusal') {
    return end({ kind: 'failed', code: 'refused', message: `the model refused: ${textOf(turn) || 'no reason given'}` });
  }
  if (turn.stopReason === 'context_overflow') {
    return end({ kind: 'failed', code: 'context_overflow', message: "the model's context window is full" });
  }
  if (!more && textOf(turn) !== '') return end({ kind: 'done', finalText: textOf(turn) });
  if (turn.turn >= limits.maxTurns) {
    return end({ kind: 'failed', code: 'max_turns', message: `not done after ${limits.maxTurns} turns (max_turns)` });
  }
  if (said) return { kind: 'go_on' };
  if (turn.stopReason === 'max_tokens') {
    return { kind: 'say', message: { kind: 'notice', content: cutAnswerNotice(turn.cutToolCalls) } };
  }
  if (more) return { kind: 'go_on' };
  const remindedBefore = transcript.messages.some((message) => message.kind === 'nudge' && message.afterTurn > 0);
  if (remindedBefore) {
    return end({ kind: 'failed', code: 'empty_answer', message: 'the model answered nothing, twice' });
  }
  return { kind: 'say', message: { kind: 'nudge', content: EMPTY_ANSWER_NUDGE } };
}

function end(ending: EngageEnd): Verdict {
  return { kind: 'end', end: ending };
}
