/** Who takes part in a conversation. */
import { useState } from 'preact/hooks';
import type { ChatWithPeople } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { may } from '../../model/session-state.ts';
import { Action } from '../../ui/action.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';

interface PeopleProps {
  readonly about: ChatWithPeople;
  readonly reload: () => void;
  readonly onClose: () => void;
}

export function People({ about, reload, onClose }: PeopleProps) {
  const { id, workspace_id: workspace, people, owners } = about;
  const setRole = async (actor: string, role: 'owner' | 'member') => {
    await api.chats.invite(workspace, id, { actor, role });
  };
  return (
    <Dialog title={S.chat.peopleTitle} onClose={onClose}>
      <ul class="plain rows">
        {people.map((actor) => {
          const isOwner = owners.includes(actor);
          return (
            <li key={actor}>
              <span class="grow">
                <VisibleText text={actor} most={120} />{' '}
                <span class="faint">{isOwner ? S.chat.owner : S.chat.member}</span>
              </span>
              {may('work') && (
                <>
                  <Action kind="quiet" act={() => setRole(actor, isOwner ? 'member' : 'owner')} after={reload}>
                    {isOwner ? S.chat.makeMember : S.chat.makeOwner}
                  </Action>
                  <Action kind="quiet" act={() => api.chats.remove(workspace, id, actor)} after={reload}>
                    {S.chat.removePerson}
                  </Action>
                </>
              )}
            </li>
          );
        })}
      </ul>
      {may('work') && <Invite invite={(actor) => setRole(actor, 'member')} reload={reload} />}
      <p class="faint">{S.chat.inviteHint}</p>
    </Dialog>
  );
}

function Invite({
  invite,
  reload,
}: {
  readonly invite: (actor: string) => Promise<void>;
  readonly reload: () => void;
}) {
  const [name, setName] = useState('');
  const act = async () => {
    const actor = name.trim();
    if (actor === '') return;
    await invite(actor.includes(':') ? actor : `person:${actor}`);
    setName('');
  };
  return (
    <form class="chat-acts" onSubmit={(event) => event.preventDefault()}>
      <label class="chat-field">
        {S.chat.invite}
        <input value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <Action act={act} after={reload}>
        {S.chat.inviteNow}
      </Action>
    </form>
  );
}
