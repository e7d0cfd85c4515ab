/** Begins or resumes a conversation in the terminal. */
import type { Invocation } from '../../../terminal/command/command.ts';
import { openConversation } from '../session/conversation.ts';
import { requireKnownFaculty } from '../session/known-faculty.ts';
import { openPlace } from '../session/place.ts';
import { holdSession } from '../session/session.ts';
import { type ChatOptions, COMMAND_WORDS, DEFAULT_FACULTY } from './chat-options.ts';
import { findConversationToResume } from './find-conversation.ts';

/** Returns 0 when the person has left. Errors: those of `openPlace`, `findConversationToResume`, `requireKnownFaculty` and `holdSession`. */
export async function beginSession(
  invocation: Invocation,
  { faculty, resume, workspace, thoughts = false }: ChatOptions,
): Promise<number> {
  const { output, context } = invocation;
  const onProgress = (what: string | null) => output.progress(what);
  const place = await openPlace(invocation, { signal: context.signals.drain, onProgress });
  output.progress(null);
  let conversation: ReturnType<typeof openConversation>;
  try {
    const resumed = resume === undefined ? null : await findConversationToResume(place.db, resume, faculty);
    conversation = openConversation(resumed?.faculty ?? faculty ?? DEFAULT_FACULTY, workspace, resumed?.id ?? null);
    if (resumed === null) await requireKnownFaculty(invocation, place.db, conversation.faculty, COMMAND_WORDS);
  } catch (error) {
    await place.close();
    throw error;
  }
  await holdSession(invocation, { conversation, place, thoughts });
  return 0;
}
