/** `animus chat` without a terminal: standard input is one message, and its answer goes to standard output. */

import { usageError } from '../../../core/errors/errors.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { readAnyInput } from '../../../terminal/command/read-input.ts';
import { shortId } from '../../../terminal/view/quantities.ts';
import { openConversation, say } from '../session/conversation.ts';
import { requireKnownFaculty } from '../session/known-faculty.ts';
import { openPlace } from '../session/place.ts';
import { type ChatOptions, COMMAND_WORDS, DEFAULT_FACULTY } from './chat-options.ts';
import { findConversationToResume } from './find-conversation.ts';
import { showAnswer } from './show-answer.ts';

/** Returns 0 when the answer completed, else 1. Errors: `usage.invalid` without a text, and as `beginSession`. */
export async function askOnce(invocation: Invocation, { faculty, resume, workspace }: ChatOptions): Promise<number> {
  const { output, context } = invocation;
  const text = (await readAnyInput(context.stdin)).trimEnd();
  if (text.trim() === '') {
    const detail = 'standard input is not a terminal, and it is empty; to send a message: animus chat send "…" --wait';
    throw usageError(detail);
  }
  const onProgress = (what: string | null) => output.progress(what);
  const place = await openPlace(invocation, { signal: context.signals.drain, onProgress });
  try {
    const resumed = resume === undefined ? null : await findConversationToResume(place.db, resume, faculty);
    const conversation = openConversation(
      resumed?.faculty ?? faculty ?? DEFAULT_FACULTY,
      workspace,
      resumed?.id ?? null,
    );
    if (resumed === null) await requireKnownFaculty(invocation, place.db, conversation.faculty, COMMAND_WORDS);
    const said = await say(place.db, conversation, text);
    output.note(`to go on with the conversation: animus chat --resume ${shortId(conversation.id!)}`);
    return await showAnswer(invocation, place.db, { ...said, conversation: conversation.id! });
  } finally {
    await place.close();
  }
}
