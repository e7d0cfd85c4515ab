/** What people say to the work while it is done (docs/steering.md): part of the context after the newest turn. */
import type { Database } from '../../store/sql/database.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';
import { readMail } from '../../store/transcript/messages.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { LoopFocus, LoopRun } from '../turn/loop-state.ts';

/** The transcript with all messages that were delivered after its newest turn. */
export async function withMail(
  transcript: Transcript,
  { key }: Pick<LoopFocus, 'key'>,
  { signal }: Pick<LoopRun, 'signal'>,
  db: Database,
): Promise<Transcript> {
  const mail = await withinLease(() => readMail(db, key.focusId, transcript.turns.length), signal);
  // Others may have been recorded after the ones that are known: each stays where it is recorded.
  return { ...transcript, messages: [...transcript.messages, ...mail.slice(unansweredMail(transcript))] };
}

/** How many messages of people the model has not answered to. */
export function unansweredMail(transcript: Transcript): number {
  return transcript.messages.filter((message) => isUnanswered(message, transcript)).length;
}

function isUnanswered({ kind, afterTurn }: EngineMessage, { turns }: Transcript): boolean {
  return kind === 'operator' && afterTurn === turns.length;
}
