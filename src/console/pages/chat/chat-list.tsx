/** The workspaces, each with its conversations, newest first. */
import { useEffect, useState } from 'preact/hooks';
import type { Workspace } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { useLiveStates } from '../../model/live.ts';
import { hrefTo } from '../../model/place.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Shown } from '../../ui/shown.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { isMine } from './own-workspace.ts';

const MOST_WORKSPACES = 100;
const PAGE = 50;

interface ChatListProps {
  readonly workspace: string | undefined;
  readonly chat: string | undefined;
}

export function ChatList({ workspace, chat }: ChatListProps) {
  useLiveStates();
  const list = useLoaded((signal) => api.workspaces.list({ limit: MOST_WORKSPACES }, { signal }).page(), [workspace]);
  return (
    <nav class="chat-list" aria-label={S.chat.conversations}>
      <h1>{S.nav.chat}</h1>
      <a class="chat-new" href={hrefTo('chat', [], { new: 1 })}>
        {S.chat.begin}
      </a>
      <Shown of={list}>
        {({ items }) =>
          ownFirst(items).map((one, at) => (
            <Chats
              key={one.id}
              workspace={one}
              isFirst={workspace === undefined ? at === 0 : one.id === workspace}
              chat={chat}
            />
          ))
        }
      </Shown>
    </nav>
  );
}

function ownFirst(workspaces: readonly Workspace[]): readonly Workspace[] {
  return [...workspaces.filter(isMine), ...workspaces.filter((one) => !isMine(one))];
}

interface ChatsProps {
  readonly workspace: Workspace;
  readonly isFirst: boolean;
  readonly chat: string | undefined;
}

function Chats({ workspace, isFirst, chat }: ChatsProps) {
  const [open, setOpen] = useState(isFirst);
  useEffect(() => {
    if (isFirst) setOpen(true);
  }, [isFirst]);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <VisibleText text={workspace.name} kind="text" most={80} />
        {!isMine(workspace) && (
          <>
            {' · '}
            <VisibleText text={workspace.owner.replace(/^person:/, '')} kind="text" most={80} />
          </>
        )}
      </summary>
      {open && <ChatsOf id={workspace.id} chat={chat} />}
    </details>
  );
}

function ChatsOf({ id, chat }: { readonly id: string; readonly chat: string | undefined }) {
  const [pages, setPages] = useState(1);
  const list = useLoaded(
    (signal) => api.chats.list(id, { limit: pages * PAGE }, { signal }).page(),
    [id, pages, chat],
    {
      live: true,
    },
  );
  return (
    <Shown of={list}>
      {({ items, next }) => (
        <>
          {items.length === 0 && <p class="faint">{S.chat.none}</p>}
          <ul class="plain">
            {items.map((one) => (
              <li key={one.id}>
                <a href={hrefTo('chat', [id, one.id])} aria-current={one.id === chat ? 'page' : undefined}>
                  <span class="clip">
                    <VisibleText text={one.title === '' ? S.chat.untitled : one.title} kind="text" most={120} />
                  </span>
                  <span class="faint">
                    {one.faculty} · <Time at={one.updated_at} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
          {next !== null && (
            <button type="button" class="quiet" onClick={() => setPages(pages + 1)}>
              {S.common.more}
            </button>
          )}
        </>
      )}
    </Shown>
  );
}
