/** Notifications about a conversation and about the item that is followed, and pieces of its texts and outputs. They are hints: what they are about is read. */
import type { Service } from '../../core/lifecycle/service.ts';
import type { LivePiece } from '../../store/events/live/live-pieces.ts';
import { createTextChannels } from '../../store/events/live/text-channels.ts';
import { watchEvents } from '../../store/events/read-events.ts';
import { openNotifications } from '../../store/postgres/notifications.ts';
import type { Database } from '../../store/sql/database.ts';
import { silentLog } from '../../telemetry/silent-log.ts';

export interface News extends Service {
  /** Asks for notifications about the conversation, for ten minutes. */
  watchConversation(id: string): Promise<void>;
  /** The same about an item, with its pieces, in place of the item before. */
  watchItem(id: string): Promise<void>;
}

export interface NewsHandlers {
  /** Something was said, or happened to a message. */
  onConversation(): void;
  /** Something was recorded of the item. */
  onItem(): void;
  /** Returns whether something before the piece is missing. */
  onPiece(piece: LivePiece): boolean;
}

/** Errors of `start`: `db.unreachable`. */
export function openNews(db: Database, { onConversation, onItem, onPiece }: NewsHandlers): News {
  let item: string | null = null;
  /** What notifications call them. */
  const names = { conversation: '', item: '' };
  const texts = createTextChannels(db, (id, piece) => id === item && onPiece(piece), silentLog);
  const listener = openNotifications(db, ['animus_events', 'animus_work_done'], {
    onNotify(channel, payload) {
      if (payload === names.item) onItem();
      else if (payload === names.conversation) onConversation();
      else texts.take(channel, payload);
    },
    onReconnect() {
      texts.reconnected();
      onConversation();
      onItem();
    },
  });

  const watched = async (id: string) => [...(await watchEvents(db, [id])).keys()][0] ?? '';

  return {
    async start() {
      await listener.start();
      texts.use(listener);
    },
    async stop() {
      await texts.stop();
      await listener.stop();
    },
    async watchConversation(id) {
      names.conversation = await watched(id);
    },
    async watchItem(id) {
      names.item = await watched(id);
      if (item === id) return;
      if (item !== null) texts.leave(item);
      item = id;
      await texts.join(id, (look) => look(db));
    },
  };
}
