/** An answer that has been given: its text, and what was done for it when somebody asks. */
import { useState } from 'preact/hooks';
import { api } from '../../model/api.ts';
import { hrefTo } from '../../model/place.ts';
import { may } from '../../model/session-state.ts';
import { Action } from '../../ui/action.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Prose } from '../../ui/prose.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import type { ChatPlace, Message } from './conversation.ts';
import { RestOfText } from './rest-of-text.tsx';
import { WorkDone } from './work-done.tsx';

interface GivenAnswerProps {
  readonly message: Message;
  readonly place: ChatPlace;
  /** Default: it may be asked for again, or deleted. */
  readonly isFixed?: boolean;
}

export function GivenAnswer({ message, place, isFixed = false }: GivenAnswerProps) {
  const { author, text, at, item, endedAs, number } = message;
  return (
    <article class="chat-entry chat-answer" aria-label={S.chat.messageOf(author, number)}>
      <header>
        <h2>
          <VisibleText text={author.replace(/^faculty:/, '')} kind="text" most={100} />
        </h2>
        <Time at={at} />
        {endedAs !== null && endedAs !== 'completed' && (
          <span class={`state state-${endedAs}`}>{S.chat.endedAs[endedAs as 'dead' | 'cancelled'] ?? endedAs}</span>
        )}
        {!isFixed && may('work') && <Acts message={message} place={place} />}
      </header>
      {item !== null && <WorkDone item={item} />}
      <Prose text={text} />
      <RestOfText message={message} place={place} />
    </article>
  );
}

function Acts({ message: { id, item }, place: { workspace, chat } }: GivenAnswerProps) {
  const [asks, setAsks] = useState(false);
  return (
    <div class="chat-acts">
      <Action kind="quiet" act={() => api.chats.retryMessage(workspace, chat, id)}>
        {S.chat.retry}
      </Action>
      {item !== null && <a href={hrefTo('work', [item])}>{S.chat.openWork}</a>}
      <button type="button" class="quiet" onClick={() => setAsks(true)}>
        {S.chat.delete}
      </button>
      {asks && (
        <Confirm
          title={S.chat.deleteAnswer}
          label={S.chat.delete}
          kind="danger"
          act={async () => {
            await api.chats.deleteMessage(workspace, chat, id);
            return S.chat.messageDeleted;
          }}
          onClose={() => setAsks(false)}
        />
      )}
    </div>
  );
}
