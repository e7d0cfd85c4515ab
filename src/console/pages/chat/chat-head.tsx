/** What a conversation is called, who takes part, and what can be done with all of it. */
import { useState } from 'preact/hooks';
import type { ChatWithPeople } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { goTo } from '../../model/place.ts';
import { may } from '../../model/session-state.ts';
import { Action } from '../../ui/action.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { download } from '../../ui/download.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { ChatSettings } from './chat-settings.tsx';
import { People } from './people.tsx';

interface ChatHeadProps {
  readonly about: ChatWithPeople;
  readonly reload: () => void;
}

type Open = 'nothing' | 'people' | 'settings' | 'delete';

export function ChatHead({ about, reload }: ChatHeadProps) {
  const [open, setOpen] = useState<Open>('nothing');
  const close = () => setOpen('nothing');
  const { id, workspace_id: workspace, title, faculty, people, warning } = about;
  const save = async (format: 'markdown' | 'jsonl') => {
    const response = await api.chats.export(workspace, id, { format });
    download(`${title === '' ? id : title}.${format === 'jsonl' ? 'jsonl' : 'md'}`, await response.blob());
  };
  return (
    <header class="chat-head">
      <h1>
        <VisibleText text={title === '' ? S.chat.untitled : title} kind="text" most={200} />{' '}
        <span class="faint">{faculty}</span>
      </h1>
      <div class="chat-acts">
        <button type="button" class="quiet" onClick={() => setOpen('people')}>
          {S.chat.people(people.length)}
        </button>
        <Action kind="quiet" act={() => save('markdown')}>
          {S.chat.exportMarkdown}
        </Action>
        <Action kind="quiet" act={() => save('jsonl')}>
          {S.chat.exportJson}
        </Action>
        {may('work') && (
          <>
            <button type="button" class="quiet" onClick={() => setOpen('settings')}>
              {S.chat.settings}
            </button>
            <button type="button" class="quiet" onClick={() => setOpen('delete')}>
              {S.chat.deleteChat}
            </button>
          </>
        )}
      </div>
      {warning !== undefined && <p class="ask-warning">{warning}</p>}
      {open === 'people' && <People about={about} reload={reload} onClose={close} />}
      {open === 'settings' && <ChatSettings about={about} reload={reload} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={S.chat.deleteChatTitle}
          label={S.chat.delete}
          kind="danger"
          act={async () => {
            await api.chats.delete(workspace, id);
            return S.chat.chatDeleted;
          }}
          onClose={(isDone) => {
            close();
            if (isDone) goTo('chat');
          }}
        >
          <p>{S.chat.deleteChatHint}</p>
        </Confirm>
      )}
    </header>
  );
}
