/** Follows a conversation over a connection to Postgres: its recorded events, and the texts of answers as they arrive. */
import { messageOf } from '../../core/errors/errors.ts';
import { type Clock, systemClock } from '../../core/lifecycle/clock.ts';
import { createWake, type Wake } from '../../core/lifecycle/wake.ts';
import type { WorkState } from '../../core/work/work.ts';
import type { Log } from '../../telemetry/log.ts';
import { silentLog } from '../../telemetry/silent-log.ts';
import { CHAT_BEGINNING, type ChatPosition, readChatCursor, writeChatCursor } from '../events/chat-position.ts';
import type { AnyEvent } from '../events/event.ts';
import { presentInConversation, readConversationPage } from '../events/read-conversation-events.ts';
import { notThere, watchEvents } from '../events/read-events.ts';
import { openNotifications } from '../postgres/notifications.ts';
import type { Database } from '../sql/database.ts';
import type { TextPiece } from '../transcript/live-text.ts';
import { createTextChannels } from './text-channels.ts';

/** What a follower gets. Texts and states are hints: they are not recorded, and the recorded `text` of a turn replaces its pieces. */
export type ConversationNews =
  /** `id`: a follower may go on after it. */
  | { readonly kind: 'event'; readonly event: AnyEvent; readonly id: string }
  | { readonly kind: 'text'; readonly workItemId: string; readonly piece: TextPiece }
  /** Where the item of an answer is now, also `claimed`, `scheduled` or `waiting`. */
  | { readonly kind: 'state'; readonly workItemId: string; readonly state: WorkState };

export interface FollowOptions {
  /** Null: from the beginning. `now`: what is said from now on, and the answers that are being given or wait, from their beginning. Otherwise the id of an event. */
  readonly after: string | null;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** Notifications are hints. Half a second where there are none (the embedded database). */
const LOOK_AGAIN_MS = { postgres: 5_000, embedded: 500 } as const;
/** A change that was committed while the watch began may not be notified. */
const FIRST_LOOK_AGAIN_MS = 250;
/** Watches last ten minutes. */
const WATCH_AGAIN_MS = 300_000;

/**
 * Yields what happens in a conversation, until the signal aborts. Errors: `work.not_found`, also for a conversation that whoever acts may not see (any
 * more), and when it is deleted; `usage.invalid` for an id that is none of its events; `db.unreachable`.
 */
export async function* followConversation(
  db: Database,
  id: string,
  { after, signal, clock = systemClock, log = silentLog }: FollowOptions,
): AsyncGenerator<ConversationNews> {
  const scope = { kind: 'conversation', id } as const;
  const wake = createWake(clock);
  const pieces: ConversationNews[] = [];
  const states = new Map<string, WorkState>();
  const texts = createTextChannels(
    db,
    (workItemId, piece) => {
      // What code prints is for those who watch its work item.
      if ('output' in piece) return;
      pieces.push({ kind: 'text', workItemId, piece });
      wake.ring();
    },
    log,
  );
  const notifications = openNotifications(
    db,
    ['animus_events', 'animus_work_done'],
    {
      onNotify(channel, payload) {
        if (payload === id || states.has(payload)) wake.ring();
        else texts.take(channel, payload);
      },
      onReconnect: () => wake.ring(),
    },
    log,
  );
  let position = await beginAt(db, id, after);
  await notifications.start();
  texts.use(notifications);
  const watch = async (ids: readonly string[]) => {
    await watchEvents(db, ids).catch((error: unknown) => log.debug({ error: messageOf(error) }, 'cannot watch work'));
    void ringAfter(FIRST_LOOK_AGAIN_MS, wake, clock, signal);
  };
  try {
    await watch([id]);
    let watchAgainMs = clock.monotonicMs() + WATCH_AGAIN_MS;
    while (!signal.aborted) {
      const page = await readConversationPage(db, id, position);
      if (page === null) throw notThere(scope);
      yield* pieces.splice(0);
      for (const { event, after: at } of page.events) yield { kind: 'event', event, id: writeChatCursor(id, at) };
      position = page.position;
      if (page.more) continue;
      const now = new Map(page.items.map((item) => [item.id, item.state]));
      for (const [item, state] of now) {
        if (!states.has(item)) {
          await watch([item]);
          await texts.join(item, (look) => look(db));
        }
        if (states.get(item) !== state) yield { kind: 'state', workItemId: item, state };
        states.set(item, state);
      }
      for (const item of states.keys()) {
        if (now.has(item)) continue;
        states.delete(item);
        texts.leave(item);
      }
      if (clock.monotonicMs() > watchAgainMs) {
        watchAgainMs = clock.monotonicMs() + WATCH_AGAIN_MS;
        await watch([id, ...states.keys()]);
      }
      await wake.wait(LOOK_AGAIN_MS[db.kind], signal);
      yield* pieces.splice(0);
    }
  } finally {
    await notifications.stop();
    await texts.stop();
  }
}

async function beginAt(db: Database, id: string, after: FollowOptions['after']): Promise<ChatPosition> {
  if (after === null) return CHAT_BEGINNING;
  if (after !== 'now') return readChatCursor(id, after);
  const present = await presentInConversation(db, id);
  if (present === null) throw notThere({ kind: 'conversation', id });
  return present;
}

async function ringAfter(ms: number, wake: Wake, clock: Clock, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal);
  wake.ring();
}
