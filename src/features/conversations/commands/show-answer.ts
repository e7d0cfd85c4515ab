/** Waits for the answer to a message and prints it. */
import { interruption } from '../../../core/errors/interruption.ts';
import { systemClock } from '../../../core/lifecycle/clock.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { calledAs } from '../../../terminal/view/copied-command.ts';
import { styled } from '../../../terminal/view/output.ts';
import { shortId } from '../../../terminal/view/quantities.ts';
import { readAnswer } from '../store/read-messages.ts';

/** One look-up by key. */
const LOOK_EVERY_MS = 300;

/** What Ctrl-C says while the answer is awaited. */
export function answerGoesOn({ context }: Pick<Invocation, 'context'>, workItemId: string): string {
  const tail = `${calledAs(context.env)} work tail ${shortId(workItemId)}`;
  return `the message stays, and the answer to it goes on where a daemon runs. To follow it: ${tail}`;
}

/** Returns the exit code: 0 completed, else 1. Ctrl-C stops waiting, not the answer. */
export async function showAnswer(
  { output, context }: Invocation,
  db: Queryable,
  said: {
    readonly conversation: string;
    readonly messageId: string;
    readonly number: number;
    readonly workItemId: string;
  },
): Promise<number> {
  const { waitingNotes } = await import('../../../terminal/events/waiting-notes.ts');
  const sayWhatWaits = await waitingNotes(output, db, said.workItemId);
  for (;;) {
    const answer = await readAnswer(db, said.workItemId);
    if (answer !== null && Number(answer.id) > Number(said.messageId)) {
      const { content, ended_as: endedAs } = answer;
      output.document({
        chat: said.conversation,
        message: said.number,
        message_id: Number(said.messageId),
        work_item: said.workItemId,
        answer: { id: Number(answer.id), number: answer.number, content, ended_as: endedAs },
      });
      output.block(content);
      if (endedAs !== 'completed')
        output.line(
          styled(`the answer was not completed: ${endedAs}; animus work show ${said.workItemId} shows why`, 'dim'),
        );
      return endedAs === 'completed' ? 0 : 1;
    }
    await sayWhatWaits();
    output.progress('waiting for the answer; Ctrl-C stops waiting, not the answer');
    await systemClock.sleep(LOOK_EVERY_MS, context.signals.drain);
    if (context.signals.drain.aborted) throw interruption(answerGoesOn({ context }, said.workItemId));
  }
}
