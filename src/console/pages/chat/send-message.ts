/** Says something in a conversation. */
import { attachment, type SaidMessage } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import type { FileToSend } from './attachments.ts';

export async function sendMessage(
  workspace: string,
  chat: string,
  content: string,
  files: readonly FileToSend[],
): Promise<SaidMessage> {
  const attachments = await Promise.all(files.map(({ name, content: bytes }) => attachment(name, bytes)));
  return api.chats.say(workspace, chat, { content, ...(attachments.length > 0 && { attachments }) });
}
