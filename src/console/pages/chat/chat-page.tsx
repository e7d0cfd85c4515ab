/** Conversations with faculties. `#/chat/WORKSPACE/CHAT` shows one; without them a new one begins. */
import { place } from '../../model/place.ts';
import { ChatList } from './chat-list.tsx';
import { ConversationView } from './conversation-view.tsx';
import { NewChat } from './new-chat.tsx';
import './chat.css';

export default function ChatPage() {
  const [workspace, chat] = place.value.rest;
  const isOpen = workspace !== undefined && chat !== undefined;
  return (
    <div class={isOpen || place.value.query.has('new') ? 'chat chat-open' : 'chat'}>
      <ChatList workspace={workspace} chat={chat} />
      {isOpen ? <ConversationView key={chat} workspace={workspace} chat={chat} /> : <NewChat />}
    </div>
  );
}
