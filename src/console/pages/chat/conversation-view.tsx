/** One conversation: its messages, the answers that are being given, and the field in which one goes on. */
import { useRef, useState } from 'preact/hooks';
import { api } from '../../model/api.ts';
import { hrefTo } from '../../model/place.ts';
import { may } from '../../model/session-state.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Problem } from '../../ui/problem.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { BranchView } from './branch-view.tsx';
import { ChatHead } from './chat-head.tsx';
import { Composer } from './composer.tsx';
import { type ChatPlace, type Entry, entriesOf, openAnswers } from './conversation.ts';
import { EntryView } from './entry-view.tsx';
import { sendMessage } from './send-message.ts';
import { useConversation } from './use-conversation.ts';
import { useEnd } from './use-end.ts';

interface ConversationViewProps {
  readonly workspace: string;
  readonly chat: string;
}

export function ConversationView({ workspace, chat }: ConversationViewProps) {
  const followed = useConversation(workspace, chat);
  const about = useLoaded((signal) => api.chats.show(workspace, chat, { signal }), [chat, followed.changes.value]);
  /** The message whose earlier versions are shown. */
  const [version, setVersion] = useState<string | null>(null);
  const now = followed.shown.value;
  const ended = followed.ended.value;
  const lost = followed.lost.value;
  const open = openAnswers(now);
  const tells = about.value?.while_answering === 'tell';
  const place = { workspace, chat, faculty: about.value?.faculty ?? '' };
  return (
    <section class="chat-main" aria-label={S.chat.conversation}>
      <a class="chat-back" href={hrefTo('chat')}>
        {S.chat.back}
      </a>
      {about.problem !== null && about.value === undefined && <Problem text={about.problem} retry={about.reload} />}
      {about.value !== undefined && <ChatHead about={about.value} reload={about.reload} />}
      {lost !== null && <Problem text={S.chat.lost(lost)} />}
      {ended !== null && <Problem text={ended} />}
      {version !== null ? (
        <BranchView place={place} message={version} newest={now.messages.at(-1)} onClose={() => setVersion(null)} />
      ) : (
        <>
          <Messages
            isReady={followed.isReady.value}
            entries={entriesOf(now)}
            older={now.older}
            readOlder={followed.readOlder}
            place={place}
            showVersions={setVersion}
          />
          {may('work') && ended === null && (
            <Composer
              draft={chat}
              send={async (text, files) => void (await sendMessage(workspace, chat, text, files))}
              label={S.chat.say}
              {...(open.length > 0 && { hint: tells ? S.chat.willTell : S.chat.willQueue })}
            />
          )}
        </>
      )}
    </section>
  );
}

interface MessagesProps {
  readonly isReady: boolean;
  readonly entries: readonly Entry[];
  readonly older: string | null;
  readonly readOlder: () => Promise<void>;
  readonly place: ChatPlace;
  readonly showVersions: (message: string) => void;
}

function Messages({ isReady, entries, older, readOlder, place, showVersions }: MessagesProps) {
  const list = useRef<HTMLDivElement>(null);
  const { isAtEnd, toEnd } = useEnd(list, keyOf(entries[0]), readOlder, older !== null);
  // The rows are compared by their properties.
  const kept = useRef(place);
  if (kept.current.faculty !== place.faculty || kept.current.chat !== place.chat) kept.current = place;
  return (
    <div class="chat-scroll" ref={list} tabIndex={0} role="log" aria-live="off" aria-label={S.chat.messages}>
      {!isReady && <p class="faint">{`${S.common.loading} …`}</p>}
      {isReady && entries.length === 0 && <p class="faint">{S.chat.empty}</p>}
      {older !== null && (
        <button type="button" class="quiet" onClick={() => void readOlder()}>
          {S.chat.older}
        </button>
      )}
      {entries.map((entry) => (
        <EntryView
          key={keyOf(entry)}
          message={'message' in entry ? entry.message : null}
          answer={'answer' in entry ? entry.answer : null}
          place={kept.current}
          showVersions={showVersions}
        />
      ))}
      {!isAtEnd && (
        <button type="button" class="chat-to-end" onClick={toEnd}>
          <VisibleText text={S.chat.toEnd} kind="text" />
        </button>
      )}
    </div>
  );
}

function keyOf(entry: Entry | undefined): string | null {
  if (entry === undefined) return null;
  return 'message' in entry ? `m${entry.message.id}` : `a${entry.answer.item}`;
}
