/** A focus may continue after a failed attempt (`keep = "transcript"`): finds where one attempt ends and the next begins. Pure. */

import { fenced } from '../../core/text/fence.ts';
import { ownPart, type Transcript } from '../../store/transcript/transcript.ts';

/** The beginning of the notice about a failed attempt. */
export const FAILURE_NOTICE = 'This attempt at the work failed:';

/** The notice that tells the model why the same focus continues; placed after the newest turn. */
export function failureNotice(error: { readonly code: string; readonly message: string }): string {
  return `${FAILURE_NOTICE} ${error.code}. The reason (data):\n${fenced(error.message)}\nYou continue from here in a new attempt. Do what was missing, or do it differently; then answer again.`;
}

/** The part of the transcript that belongs to the newest attempt. It has no turns until the model has answered the failure notice. */
export function newestAttempt(whole: Transcript): Transcript {
  const transcript = ownPart(whole);
  const failures = transcript.messages.filter(
    ({ kind, content }) => kind === 'notice' && content.startsWith(FAILURE_NOTICE),
  );
  const after = Math.max(0, ...failures.map((message) => message.afterTurn));
  if (failures.length === 0) return transcript;
  return {
    turns: transcript.turns.filter((turn) => turn.turn > after),
    messages: transcript.messages.filter((message) => message.afterTurn > after),
  };
}
