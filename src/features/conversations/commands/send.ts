/** `animus chat send`. */

import { untilUnlocked } from '../../../store/sql/patient-database.ts';
import { attachment } from '../../../terminal/command/attachment.ts';
import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { PATIENCE } from '../../../terminal/command/operation-command.ts';
import { readInput } from '../../../terminal/command/read-input.ts';
import { styled } from '../../../terminal/view/output.ts';
import { startConversation } from '../store/conversations.ts';
import { sayWithFiles } from '../store/messages.ts';
import { createWorkspace } from '../store/workspaces.ts';
import { findConversationNamed } from './find-conversation.ts';
import { answerGoesOn, showAnswer } from './show-answer.ts';

interface SendOptions extends CommonOptions {
  readonly to?: string;
  readonly faculty: string;
  readonly title?: string;
  readonly workspace: string;
  readonly tell?: boolean;
  readonly attach?: readonly string[];
  readonly wait?: boolean;
}

/** Message, item and attached files are one transaction. */
export async function sendCommand(invocation: Invocation, options: SendOptions, given: string): Promise<number> {
  const { output, context } = invocation;
  const text = given === '-' ? await readInput(context.stdin) : given;
  const files = (options.attach ?? []).map((file) => attachment(file, context.cwd));
  return withDatabase(invocation, async (db, whenStopped) => {
    const said = await untilUnlocked(
      () =>
        db.transaction(async (tx) => {
          const { faculty, title } = options;
          const conversation =
            options.to === undefined
              ? await startConversation(tx, {
                  workspaceId: await createWorkspace(tx, options.workspace),
                  faculty,
                  title,
                  whileAnswering: options.tell ? 'tell' : 'queue',
                })
              : await findConversationNamed(tx, options.to);
          return { conversation, ...(await sayWithFiles(tx, conversation, text, files)) };
        }),
      PATIENCE,
    );
    whenStopped(answerGoesOn(invocation, said.workItemId));
    if (options.to === undefined) {
      // Loaded here: the other commands of the group need none of it.
      const { warnIfUnserved } = await import('../../../terminal/command/known-faculties.ts');
      await warnIfUnserved(invocation, db, { name: options.faculty });
    }
    if (said.told && files.length > 0)
      output.note('the message was passed to a running answer: files cannot come with it');
    if (!options.wait)
      output.document({
        chat: said.conversation,
        message: said.number,
        message_id: Number(said.messageId),
        work_item: said.workItemId,
        told: said.told,
      });
    output.line(
      styled(said.conversation, 'bold'),
      `  message ${said.number}`,
      said.told ? ', passed to the running answer' : '',
    );
    return options.wait ? showAnswer(invocation, db, said) : 0;
  });
}
