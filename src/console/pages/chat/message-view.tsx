/** What a person has said, with what can be done about it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api, sentenceOf } from '../../model/api.ts';
import { may, whoseMe } from '../../model/session-state.ts';
import { Action } from '../../ui/action.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { tellProblem } from '../../ui/notices.tsx';
import { Prose } from '../../ui/prose.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { Attachments } from './attachments-view.tsx';
import type { ChatPlace, Message } from './conversation.ts';
import { RestOfText } from './rest-of-text.tsx';

interface MessageViewProps {
  readonly message: Message;
  readonly place: ChatPlace;
  /** Null: it is shown on an earlier branch, where nothing is changed. */
  readonly showVersions: ((message: string) => void) | null;
}

export function MessageView({ message, place, showVersions }: MessageViewProps) {
  const [editing, setEditing] = useState(false);
  const { author, text, at, told, replaces, number } = message;
  return (
    <article class="chat-entry chat-message" aria-label={S.chat.messageOf(author, number)}>
      <header>
        <h2>
          <VisibleText text={author.replace(/^person:/, '')} kind="text" most={100} />
        </h2>
        <Time at={at} />
        {told && <span class="chat-badge">{S.chat.told}</span>}
        {showVersions !== null && (
          <Acts message={message} place={place} edit={() => setEditing(true)}>
            {replaces !== null && (
              <button type="button" class="quiet" onClick={() => showVersions(message.id)}>
                {S.chat.versions}
              </button>
            )}
          </Acts>
        )}
      </header>
      {editing ? (
        <Edit message={message} place={place} close={() => setEditing(false)} />
      ) : (
        <>
          <Prose text={text} breaks />
          <RestOfText message={message} place={place} />
          <Attachments of={message.attachments} />
        </>
      )}
    </article>
  );
}

function Edit({
  message,
  place: { workspace, chat },
  close,
}: Omit<MessageViewProps, 'showVersions'> & { readonly close: () => void }) {
  const [text, setText] = useState(message.text);
  const [busy, setBusy] = useState(false);
  const send = async () => {
    // Twice Enter would make two branches.
    if (busy) return;
    setBusy(true);
    try {
      await api.chats.editMessage(workspace, chat, message.id, { content: text });
      close();
    } catch (error) {
      tellProblem(sentenceOf(error));
      setBusy(false);
    }
  };
  return (
    <div class="chat-edit">
      <TextArea text={text} onText={setText} label={S.chat.edit} send={() => void send()} onEscape={close} />
      <div class="chat-acts">
        <button type="button" class="primary" aria-disabled={busy} aria-busy={busy} onClick={() => void send()}>
          {S.chat.sendEdit}
        </button>
        <button type="button" onClick={close}>
          {S.common.cancel}
        </button>
      </div>
    </div>
  );
}

interface ActsProps extends Omit<MessageViewProps, 'showVersions'> {
  readonly edit: () => void;
  readonly children: ComponentChildren;
}

function Acts({ message, place, edit, children }: ActsProps) {
  const [asks, setAsks] = useState(false);
  const { workspace, chat } = place;
  const me = whoseMe();
  const isMine = me !== null && (me.actor === message.author || me.role === 'operator');
  const isAnswered = !message.told && message.item !== null;
  if (!may('work')) return <div class="chat-acts">{children}</div>;
  return (
    <div class="chat-acts">
      {children}
      {isMine && isAnswered && (
        <button type="button" class="quiet" onClick={edit}>
          {S.chat.edit}
        </button>
      )}
      {isAnswered && (
        <Action kind="quiet" act={() => api.chats.retryMessage(workspace, chat, message.id)}>
          {S.chat.retry}
        </Action>
      )}
      {isMine && (
        <button type="button" class="quiet" onClick={() => setAsks(true)}>
          {S.chat.delete}
        </button>
      )}
      {asks && (
        <Confirm
          title={S.chat.deleteMessage}
          label={S.chat.delete}
          kind="danger"
          act={async () => {
            await api.chats.deleteMessage(workspace, chat, message.id);
            return S.chat.messageDeleted;
          }}
          onClose={() => setAsks(false)}
        >
          <p>{S.chat.deleteMessageHint}</p>
        </Confirm>
      )}
    </div>
  );
}
