/** The branches of a conversation: versions of a message, and what followed each of them. Nothing is changed here: what is said next goes to the newest one. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChatEvent } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Shown } from '../../ui/shown.tsx';
import { S } from '../../words/strings.ts';
import { type Branches, branchesOf } from './branches.ts';
import type { ChatPlace, Message } from './conversation.ts';
import { GivenAnswer } from './given-answer.tsx';
import { MessageView } from './message-view.tsx';

interface BranchViewProps {
  readonly place: ChatPlace;
  /** The id of the message whose versions are shown. */
  readonly message: string;
  /** The last one of the conversation. */
  readonly newest: Message | undefined;
  readonly onClose: () => void;
}

export function BranchView({ place, message, newest, onClose }: BranchViewProps) {
  const loaded = useLoaded((signal) => readBranches(place, newest?.number ?? 0, signal), [place.chat, message]);
  return (
    <div class="chat-scroll" tabIndex={0} role="region" aria-label={S.chat.versions}>
      <p class="chat-branch">
        {S.chat.earlierBranch}{' '}
        <button type="button" onClick={onClose}>
          {S.chat.newestBranch}
        </button>
      </p>
      <Shown of={loaded}>{(branches) => <Branch branches={branches} first={message} place={place} />}</Shown>
    </div>
  );
}

interface BranchProps {
  readonly branches: Branches;
  readonly first: string;
  readonly place: ChatPlace;
}

function Branch({ branches, first, place }: BranchProps) {
  const versions = branches.versionsOf(first);
  // The one before the newest: that is what the person came for.
  const [shown, setShown] = useState(versions.at(-2) ?? first);
  return (
    <>
      {branches.branchOf(shown).map((message) => (
        <div key={message.id}>
          <Switch branches={branches} message={message} show={setShown} isShown={message.id === shown} />
          {message.role === 'user' ? (
            <MessageView message={message} place={place} showVersions={null} />
          ) : (
            <GivenAnswer message={message} place={place} isFixed />
          )}
        </div>
      ))}
    </>
  );
}

interface SwitchProps {
  readonly branches: Branches;
  readonly message: Message;
  readonly show: (id: string) => void;
  /** It is what the person has come for. */
  readonly isShown: boolean;
}

function Switch({ branches, message, show, isShown }: SwitchProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isShown) place.current?.scrollIntoView({ block: 'center' });
  }, [isShown]);
  const versions = message.role === 'user' && !message.told ? branches.versionsOf(message.id) : [];
  const at = versions.indexOf(message.id);
  if (versions.length < 2) return null;
  const step = (by: 1 | -1, label: string, sign: string) => {
    const to = versions[at + by];
    return (
      <button
        type="button"
        class="quiet"
        aria-label={label}
        disabled={to === undefined}
        onClick={() => to !== undefined && show(to)}
      >
        {sign}
      </button>
    );
  };
  return (
    <div class="chat-switch" ref={place}>
      {step(-1, S.chat.versionBefore, '‹')}
      {S.chat.version(at + 1, versions.length)}
      {step(1, S.chat.versionAfter, '›')}
    </div>
  );
}

/** All that was said, up to the newest message that is known: the stream itself has no end. */
async function readBranches({ workspace, chat }: ChatPlace, newest: number, signal: AbortSignal): Promise<Branches> {
  const events: ChatEvent[] = [];
  for await (const event of api.chats.events(workspace, chat, { signal })) {
    if (event.type === 'said' || event.type === 'answered' || event.type === 'deleted') events.push(event);
    if ((event.type === 'said' || event.type === 'answered') && event.number >= newest) break;
  }
  return branchesOf(events);
}
