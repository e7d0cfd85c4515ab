/** Title, faculty, and what happens to a message while an answer is being given. */
import { useState } from 'preact/hooks';
import type { ChatWithPeople } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { S } from '../../words/strings.ts';

interface ChatSettingsProps {
  readonly about: ChatWithPeople;
  readonly reload: () => void;
  readonly onClose: () => void;
}

export function ChatSettings({ about, reload, onClose }: ChatSettingsProps) {
  const [title, setTitle] = useState(about.title);
  const [faculty, setFaculty] = useState(about.faculty);
  const [way, setWay] = useState(about.while_answering);
  const list = useLoaded((signal) => api.operate.listFaculties({ signal }), []);
  const names = new Set([about.faculty, ...(list.value?.items ?? []).map(({ name }) => name)]);
  return (
    <Confirm
      title={S.chat.settings}
      label={S.chat.save}
      act={async () => {
        await api.chats.change(about.workspace_id, about.id, { title, faculty, while_answering: way });
        return S.chat.saved;
      }}
      onClose={(isDone) => {
        onClose();
        if (isDone) reload();
      }}
    >
      <label class="chat-field">
        {S.chat.title}
        <input value={title} maxLength={200} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <label class="chat-field">
        {S.chat.faculty}
        <select value={faculty} onChange={(event) => setFaculty(event.currentTarget.value)}>
          {[...names].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="chat-field">
        {S.chat.whileAnswering}
        <select value={way} onChange={(event) => setWay(event.currentTarget.value === 'tell' ? 'tell' : 'queue')}>
          <option value="queue">{S.chat.queue}</option>
          <option value="tell">{S.chat.tell}</option>
        </select>
      </label>
    </Confirm>
  );
}
