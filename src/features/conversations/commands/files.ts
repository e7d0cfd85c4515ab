/** `animus chat export|import`: conversations as JSON Lines and as Markdown. */

import { resolve } from 'node:path';
import { messageOf, usageError } from '../../../core/errors/errors.ts';
import { readRegularFile } from '../../../core/files/regular-file.ts';
import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { readAnyInput } from '../../../terminal/command/read-input.ts';
import { styled } from '../../../terminal/view/output.ts';
import { startConversation } from '../store/conversations.ts';
import { messageDocument } from '../store/message-document.ts';
import { importMessages } from '../store/messages.ts';
import { parseExport } from '../store/parse-export.ts';
import { readConversation } from '../store/read-messages.ts';
import { createWorkspace, readVirtualFile } from '../store/workspaces.ts';
import type { EXPORT_FORMATS } from './chat-options.ts';
import { findConversationNamed } from './find-conversation.ts';

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Prints the branch that is shown: a JSON object per message and line, or the text of the `.chat` file. */
export async function exportCommand(
  invocation: Invocation,
  { format }: CommonOptions & { readonly format: (typeof EXPORT_FORMATS)[number] },
  given: string,
): Promise<number> {
  const { output, context } = invocation;
  const asText = format === 'markdown' && !output.json;
  const { messages, text } = await withDatabase(invocation, async (db) => {
    const id = await findConversationNamed(db, given);
    if (asText) return { messages: [], text: (await readVirtualFile(db, id)).content };
    return { messages: await readConversation(db, id), text: null };
  });
  output.document({ messages: messages.map(messageDocument) });
  // As it is: it is read by programs, and nothing of it may be wrapped.
  const lines = messages.map((message) => `${JSON.stringify(messageDocument(message))}\n`);
  if (!output.json) context.stdout.write(text ?? lines.join(''));
  return 0;
}

interface ImportOptions extends CommonOptions {
  readonly faculty: string;
  readonly title?: string;
  readonly workspace: string;
}

/** Begins a conversation with these messages, in one transaction. */
export async function importCommand(invocation: Invocation, options: ImportOptions, file: string): Promise<number> {
  const { output, context } = invocation;
  const text = file === '-' ? await readAnyInput(context.stdin) : readText(file, context.cwd);
  const messages = parseExport(text);
  const { faculty, title, workspace } = options;
  const imported = await withDatabase(invocation, (db) =>
    db.transaction(async (tx) => {
      const id = await startConversation(tx, { workspaceId: await createWorkspace(tx, workspace), faculty, title });
      return { chat: id, messages: await importMessages(tx, id, messages) };
    }),
  );
  output.document(imported);
  output.line(styled(imported.chat, 'bold'), `  ${imported.messages} messages`);
  return 0;
}

function readText(file: string, cwd: string): string {
  try {
    return readRegularFile(resolve(cwd, file), { maxBytes: MAX_FILE_BYTES }).toString('utf8');
  } catch (error) {
    throw usageError(`${file}: ${messageOf(error)}`, error);
  }
}
