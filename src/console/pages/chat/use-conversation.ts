/** Follows a conversation for a component: at most one drawing per frame, however fast an answer comes. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ApiError, type ChatEvent } from '../../../client/client.ts';
import { api, sentenceOf } from '../../model/api.ts';
import { S } from '../../words/strings.ts';
import { type Conversation, EMPTY, takeChatEvent, withNewest, withOlder } from './conversation.ts';
import { followChat } from './follow-chat.ts';

export interface Followed {
  readonly shown: ReadonlySignal<Conversation>;
  /** False: nothing has been read yet. */
  readonly isReady: ReadonlySignal<boolean>;
  /** Why the connection is lost; null: it is not. */
  readonly lost: ReadonlySignal<string | null>;
  /** Why nothing more comes; null: it does. */
  readonly ended: ReadonlySignal<string | null>;
  /** Goes up when its people, its title or its settings have changed. */
  readonly changes: ReadonlySignal<number>;
  /** Reads the page of messages before the first one. */
  readOlder(): Promise<void>;
}

const PAGE = 30;
/** While the page is hidden, no frames come. */
const HIDDEN_MS = 500;

export function useConversation(workspace: string, chat: string): Followed {
  const followed = useMemo(() => follow(workspace, chat), [workspace, chat]);
  useEffect(() => followed.start(), [followed]);
  return followed;
}

function follow(workspace: string, chat: string): Followed & { start(): () => void } {
  const shown = signal<Conversation>(EMPTY);
  const [isReady, changes] = [signal(false), signal(0)];
  const [lost, ended] = [signal<string | null>(null), signal<string | null>(null)];
  let now = EMPTY;
  let scheduled = false;
  const show = (next: Conversation) => {
    if (next === now) return;
    now = next;
    if (scheduled) return;
    scheduled = true;
    const draw = () => {
      scheduled = false;
      shown.value = now;
    };
    if (document.hidden) setTimeout(draw, HIDDEN_MS);
    else requestAnimationFrame(draw);
  };
  const readNewest = async () => {
    const { items, next } = await api.chats.listMessages(workspace, chat, { order: 'newest', limit: PAGE }).page();
    show(withNewest(now, items, next));
    isReady.value = true;
  };
  const take = (event: ChatEvent) => {
    if (event.type === 'people' || event.type === 'conversation') changes.value++;
    show(takeChatEvent(now, event));
    if (now.isStale) readNewest().catch((error: unknown) => (lost.value = sentenceOf(error)));
  };
  return {
    shown,
    isReady,
    lost,
    ended,
    changes,
    async readOlder() {
      const { older } = now;
      if (older === null) return;
      const { items, next } = await api.chats
        .listMessages(workspace, chat, { order: 'newest', limit: PAGE, after: older })
        .page();
      if (now.older === older) show(withOlder(now, items, next));
    },
    start() {
      const stop = new AbortController();
      followChat({
        client: api,
        workspace,
        chat,
        signal: stop.signal,
        onReady: readNewest,
        onEvent: take,
        onLost: (why) => (lost.value = why),
      }).catch((error: unknown) => {
        const isGone = error instanceof ApiError && error.code === 'work.not_found';
        ended.value = isGone ? S.chat.gone : sentenceOf(error);
      });
      return () => stop.abort();
    },
  };
}
