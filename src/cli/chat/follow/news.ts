/** Notifications about the answer that is followed: that something was recorded, and pieces of its text. They are hints. */
import { randomBytes } from 'node:crypto';
import type { Service } from '../../../core/lifecycle/service.ts';
import { watchEvents } from '../../../store/events/read-events.ts';
import { openNotifications } from '../../../store/postgres/notifications.ts';
import type { Database } from '../../../store/sql/database.ts';
import { readPiece, type TextPiece, watchTexts } from '../../../store/transcript/live-text.ts';

export interface News extends Service {
  /** Asks for notifications about this item, and no other. May be called again for the same one: they are given for ten minutes. */
  watch(id: string): Promise<void>;
}

export interface NewsHandlers {
  onNews(): void;
  onPiece(piece: TextPiece): void;
}

/** Errors of `start`: `db.unreachable`. */
export function openNews(db: Database, { onNews, onPiece }: NewsHandlers): News {
  let item: string | null = null;
  let texts: string | null = null;
  const listener = openNotifications(db, ['animus_events', 'animus_work_done'], {
    onNotify(channel, payload) {
      if (payload === item) onNews();
      if (channel !== texts) return;
      const piece = readPiece(payload);
      if (piece !== null) onPiece(piece);
    },
    onReconnect: onNews,
  });

  async function joinTexts(id: string): Promise<void> {
    const own = `animus_text_${randomBytes(16).toString('hex')}`;
    await listener.join(own);
    // Pieces are hints: if it cannot be watched, the text comes with its record, and reading that reports what is wrong.
    const channel = await watchTexts(db, id, own).catch(() => null);
    if (channel !== own) await listener.leave(own);
    if (channel !== null && channel !== own) await listener.join(channel);
    texts = channel;
  }

  return {
    start: () => listener.start(),
    stop: () => listener.stop(),
    async watch(id) {
      await watchEvents(db, [id]);
      if (item === id) return;
      item = id;
      const before = texts;
      texts = null;
      if (before !== null) await listener.leave(before);
      await joinTexts(id);
    },
  };
}
