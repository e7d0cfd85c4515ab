/** The texts of answers and the output of code as they arrive, of the items that are watched: each item has a channel with a secret name (watch_texts). */
import { randomBytes } from 'node:crypto';
import { messageOf } from '../../core/errors/errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Notifications } from '../postgres/notifications.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { type LivePiece, readPiece, watchTexts } from './live-text.ts';

/** Runs `look` with the rights of somebody who reads. */
export type Look = <T>(look: (tx: Queryable) => Promise<T>) => Promise<T>;

export interface TextChannels {
  use(notifications: Notifications): void;
  /** Receives the texts of an item, once `after` has resolved, until as many calls of `leave`. Without the right to watch it, or for an ended item, nothing comes. */
  join(id: string, look: Look, after?: Promise<void>): Promise<void>;
  leave(id: string): void;
  /** Takes a notification, if it is a piece of a text. */
  take(channel: string, payload: string): void;
  stop(): Promise<void>;
}

export function createTextChannels(
  db: Database,
  onPiece: (id: string, piece: LivePiece) => void,
  log: Log,
): TextChannels {
  const idOf = new Map<string, string>();
  const wanted = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  let notifications: Notifications | null = null;

  const track = (promise: Promise<void>) => {
    pending.add(promise);
    void promise.finally(() => pending.delete(promise));
  };

  async function drop(channel: string): Promise<void> {
    idOf.delete(channel);
    await notifications?.leave(channel);
  }

  return {
    use(listener) {
      notifications = listener;
    },
    async join(id, look, after) {
      wanted.set(id, (wanted.get(id) ?? 0) + 1);
      if (wanted.get(id)! > 1) return;
      await after;
      if (!wanted.has(id)) return;
      const own = `animus_text_${randomBytes(16).toString('hex')}`;
      idOf.set(own, id);
      await notifications?.join(own);
      // The daemon's login sees all work; a gateway's asks for a person.
      const channel = await watchTexts(db, id, own)
        .catch(() => look((tx) => watchTexts(tx, id, own)))
        .catch((error: unknown) => {
          log.debug({ error: messageOf(error) }, 'no texts of answers before they are recorded');
          return null;
        });
      if (channel !== own) await drop(own);
      if (channel === null) return;
      if (!wanted.has(id)) return drop(channel);
      idOf.set(channel, id);
      if (channel !== own) await notifications?.join(channel);
    },
    leave(id) {
      const left = (wanted.get(id) ?? 0) - 1;
      if (left > 0) return void wanted.set(id, left);
      wanted.delete(id);
      for (const [channel, of] of idOf) if (of === id) track(drop(channel));
    },
    take(channel, payload) {
      const id = idOf.get(channel);
      const piece = id === undefined ? null : readPiece(payload);
      if (piece !== null) onPiece(id!, piece);
    },
    async stop() {
      await Promise.all(pending);
    },
  };
}
