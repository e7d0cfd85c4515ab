/** Notifications about the conversation and the answer that is followed, and pieces of its text. They are hints: what they are about is read. */
import type { Service } from '../../../core/lifecycle/service.ts';
import { watchEvents } from '../../../store/events/read-events.ts';
import { openNotifications } from '../../../store/postgres/notifications.ts';
import type { Database } from '../../../store/sql/database.ts';
import type { LivePiece } from '../../../store/transcript/live-text.ts';
import { createTextChannels } from '../../../store/transcript/text-channels.ts';
import { silentLog } from '../../../telemetry/silent-log.ts';

export interface News extends Service {
  /** Asks for notifications about the conversation, for ten minutes. */
  watchTalk(id: string): Promise<void>;
  /** The same about the item that gives an answer, with its texts, in place of the item before. */
  watchAnswer(id: string): Promise<void>;
}

export interface NewsHandlers {
  /** Something was said, or happened to a message. */
  onTalk(): void;
  /** Something was recorded of the answer. */
  onAnswer(): void;
  /** Returns whether something before the piece is missing. */
  onPiece(piece: LivePiece): boolean;
}

/** Errors of `start`: `db.unreachable`. */
export function openNews(db: Database, { onTalk, onAnswer, onPiece }: NewsHandlers): News {
  let item: string | null = null;
  /** What notifications call them. */
  const names = { talk: '', item: '' };
  const texts = createTextChannels(db, (id, piece) => id === item && onPiece(piece), silentLog);
  const listener = openNotifications(db, ['animus_events', 'animus_work_done'], {
    onNotify(channel, payload) {
      if (payload === names.item) onAnswer();
      else if (payload === names.talk) onTalk();
      else texts.take(channel, payload);
    },
    onReconnect() {
      texts.reconnected();
      onTalk();
      onAnswer();
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
    async watchTalk(id) {
      names.talk = await watched(id);
    },
    async watchAnswer(id) {
      names.item = await watched(id);
      if (item === id) return;
      if (item !== null) texts.leave(item);
      item = id;
      await texts.join(id, (look) => look(db));
    },
  };
}
