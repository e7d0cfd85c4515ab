/** Closing turns: the outcome alone is asked for, so a model that cannot hold a schema beside tools can be held to it. Pure. */
import type { Transcript } from '../../store/transcript/transcript.ts';
import { newestAttempt } from './attempt.ts';
import { isClosingNotice, isRepairNotice } from './outcome.ts';

/**
 * True if the next request asks for the outcome alone: a notice of the newest attempt asked for it or for its repair, and
 * neither a tool call nor an operator's message came after it. A resumed focus comes to the same answer.
 */
export function asksForOutcome(transcript: Transcript): boolean {
  const { messages, turns } = newestAttempt(transcript);
  const asked = messages.findLast(({ kind, content }) => kind === 'notice' && asks(content));
  if (asked === undefined) return false;
  const goesOn = turns.some(({ turn, calls }) => turn > asked.afterTurn && calls.length > 0);
  const operator = messages.indexOf(asked) < messages.findLastIndex(({ kind }) => kind === 'operator');
  return !goesOn && !operator;
}

function asks(content: string): boolean {
  return isClosingNotice(content) || isRepairNotice(content);
}
