/** What people say to the work while it is done (docs/steering.md): part of the context after the newest turn. */
import type { Database } from '../../store/sql/database.ts';
import type { FocusKey } from '../../store/transcript/focus-row.ts';
import { readMail } from '../../store/transcript/mail.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import { withinLease } from '../calls/within-lease.ts';

interface MailMeans {
  readonly db: Database;
  readonly focus: FocusKey;
  readonly signal: AbortSignal;
}

/** The transcript with all messages that were delivered after its newest turn. */
export async function withMail(transcript: Transcript, { db, focus, signal }: MailMeans): Promise<Transcript> {
  const mail = await withinLease(() => readMail(db, focus.focusId, transcript.turns.length), signal);
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
