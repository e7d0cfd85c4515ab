/** The texts of answers and the output of code as they arrive, of the items that are watched: each item has a channel with a secret name (watch_texts). */
import { randomBytes } from 'node:crypto';
import { messageOf } from '../../../core/errors/errors.ts';
import { systemClock } from '../../../core/lifecycle/clock.ts';
import type { Log } from '../../../telemetry/log.ts';
import type { Notifications } from '../../postgres/notifications.ts';
import type { Database, Queryable } from '../../sql/database.ts';
import { type LivePiece, readPiece, watchTexts } from './live-pieces.ts';

/** Runs `look` with the rights of somebody who reads. */
export type Look = <T>(look: (tx: Queryable) => Promise<T>) => Promise<T>;

export interface TextChannels {
  use(notifications: Notifications): void;
  /** Receives the texts of an item, once `after` has resolved, until as many calls of `leave`. Without the right to watch it, or for an ended item, nothing comes. */
  join(id: string, look: Look, after?: Promise<void>): Promise<void>;
  leave(id: string): void;
  /** After a lost connection: joins what could not be joined before. */
  reconnected(): void;
  /** Takes a notification, if it is a piece of a text. */
  take(channel: string, payload: string): void;
  stop(): Promise<void>;
}

/** Something is missing of an item's text: it is not asked for again sooner. */
const ASK_AGAIN_MS = 1_000;

/** `onPiece` returns whether something before the piece is missing: then what was sent of the answer is asked for again. */
export function createTextChannels(
  db: Database,
  onPiece: (id: string, piece: LivePiece) => boolean,
  log: Log,
): TextChannels {
  const idOf = new Map<string, string>();
  const wanted = new Map<string, { count: number; readonly look: Look; askedAtMs: number }>();
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

  /** Begins to watch an item, or asks as somebody who joins. */
  async function watch(id: string): Promise<void> {
    const look = wanted.get(id)?.look;
    if (!look) return;
    const known = [...idOf].find(([, of]) => of === id)?.[0];
    const own = known ?? `animus_text_${randomBytes(16).toString('hex')}`;
    idOf.set(own, id);
    if (known === undefined) await notifications?.join(own);
    // The daemon's login sees all work; a gateway's asks for a person.
    const channel = await watchTexts(db, id, own)
      .catch(() => look((tx) => watchTexts(tx, id, own)))
      .catch((error: unknown) => {
        log.debug({ error: messageOf(error) }, 'no texts of answers before they are recorded');
        return known ?? null;
      });
    if (channel !== own) await drop(own);
    if (channel === null) return;
    if (!wanted.has(id)) return drop(channel);
    idOf.set(channel, id);
    if (channel !== own) await notifications?.join(channel);
  }

  function askAgain(id: string): void {
    const known = wanted.get(id);
    const nowMs = systemClock.monotonicMs();
    if (!known || nowMs - known.askedAtMs < ASK_AGAIN_MS) return;
    known.askedAtMs = nowMs;
    track(watch(id));
  }

  return {
    use(listener) {
      notifications = listener;
    },
    async join(id, look, after) {
      const known = wanted.get(id);
      if (known) return void known.count++;
      wanted.set(id, { count: 1, look, askedAtMs: 0 });
      await after;
      await watch(id);
    },
    leave(id) {
      const known = wanted.get(id);
      if (known && --known.count > 0) return;
      wanted.delete(id);
      for (const [channel, of] of idOf) if (of === id) track(drop(channel));
    },
    reconnected() {
      const joined = new Set(idOf.values());
      for (const id of wanted.keys()) if (!joined.has(id)) track(watch(id));
    },
    take(channel, payload) {
      const id = idOf.get(channel);
      const piece = id === undefined ? null : readPiece(payload);
      if (piece !== null && onPiece(id!, piece)) askAgain(id!);
    },
    async stop() {
      await Promise.all(pending);
    },
  };
}
