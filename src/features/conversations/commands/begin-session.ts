/** Begins or resumes a conversation in the terminal. */
import type { Invocation } from '../../../terminal/command/command.ts';
import { requireKnownFaculty } from '../session/known-faculty.ts';
import { openPlace } from '../session/place.ts';
import { holdSession } from '../session/session.ts';
import { newTalk } from '../session/talk.ts';
import { COMMAND_WORDS, DEFAULT_FACULTY, type TalkOptions } from './chat-options.ts';
import { findChatToResume } from './find-conversation.ts';

/** Returns 0 when the person has left. Errors: those of `openPlace`, `findChatToResume`, `requireKnownFaculty` and `holdSession`. */
export async function beginSession(
  invocation: Invocation,
  { faculty, resume, workspace, thoughts = false }: TalkOptions,
): Promise<number> {
  const { output, context } = invocation;
  const onProgress = (what: string | null) => output.progress(what);
  const place = await openPlace(invocation, { signal: context.signals.drain, onProgress });
  output.progress(null);
  let talk: ReturnType<typeof newTalk>;
  try {
    const chat = resume === undefined ? null : await findChatToResume(place.db, resume, faculty);
    talk = newTalk(chat?.faculty ?? faculty ?? DEFAULT_FACULTY, workspace, chat?.id ?? null);
    if (chat === null) await requireKnownFaculty(invocation, place.db, talk.faculty, COMMAND_WORDS);
  } catch (error) {
    await place.close();
    throw error;
  }
  await holdSession(invocation, { talk, place, thoughts });
  return 0;
}
