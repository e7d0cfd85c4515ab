/** A row of a conversation: a message of a person, an answer that has been given, or one that is being given. */
import { onlyChanged } from '../../ui/only-changed.tsx';
import type { Answer } from './answer.ts';
import { AnswerView } from './answer-view.tsx';
import type { ChatPlace, Message } from './conversation.ts';
import { GivenAnswer } from './given-answer.tsx';
import { MessageView } from './message-view.tsx';

interface EntryProps {
  readonly message: Message | null;
  readonly answer: Answer | null;
  readonly place: ChatPlace;
  readonly showVersions: (message: string) => void;
}

export const EntryView = onlyChanged(({ message, answer, place, showVersions }: EntryProps) => {
  if (answer !== null) return <AnswerView answer={answer} place={place} />;
  if (message === null) return null;
  if (message.role !== 'user') return <GivenAnswer message={message} place={place} />;
  return <MessageView message={message} place={place} showVersions={showVersions} />;
});
