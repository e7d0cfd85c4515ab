/** The end of a text that was too long for its event. */
import { useState } from 'preact/hooks';
import { api } from '../../model/api.ts';
import { Action } from '../../ui/action.tsx';
import { Text } from '../../ui/text.tsx';
import { S } from '../../words/strings.ts';
import type { ChatPlace, Message } from './conversation.ts';

export function RestOfText({ message, place }: { readonly message: Message; readonly place: ChatPlace }) {
  const [rest, setRest] = useState<string | null>(null);
  if (message.leftOut === 0) return null;
  if (rest !== null) return <Text text={rest} />;
  const read = async () => {
    const { content } = await api.chats.showMessage(place.workspace, place.chat, message.id);
    setRest(content.slice(message.text.length));
  };
  return <Action act={read}>{S.visible.more(message.leftOut)}</Action>;
}
