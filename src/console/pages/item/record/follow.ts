/** Follows an item: what it says live, and when there is more to read. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ApiError } from '../../../../client/client.ts';
import { api, sentenceOf } from '../../../model/api.ts';
import { type Live, liveAfter, NOTHING_LIVE } from './live.ts';

export interface Followed {
  readonly live: ReadonlySignal<Live>;
  /** Goes up when something was recorded. */
  readonly revision: ReadonlySignal<number>;
  /** Why the stream is interrupted; null: it is not. */
  readonly interrupted: ReadonlySignal<string | null>;
}

/** More is read at most this often. */
const READ_MS = 700;
const RECONNECT_MS = 3000;

/** `isOpen`: it has not ended. After a retry it is open again. */
export function useFollowed(id: string, isOpen: boolean): Followed {
  const followed = useMemo(() => makeFollowed(), [id]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const stop = new AbortController();
    void follow(id, followed, stop.signal);
    return () => stop.abort();
  }, [id, isOpen]);
  return followed;
}

function makeFollowed() {
  return { live: signal(NOTHING_LIVE), revision: signal(0), interrupted: signal<string | null>(null) };
}

async function follow(id: string, to: ReturnType<typeof makeFollowed>, ended: AbortSignal): Promise<void> {
  let after: string | undefined;
  while (!ended.aborted) {
    try {
      for await (const event of api.work.events(id, { signal: ended, after })) {
        to.interrupted.value = null;
        if ('id' in event) {
          after = event.id;
          recorded(to, ended);
        } else if (event.type === 'state') recorded(to, ended);
        to.live.value = liveAfter(to.live.value, event);
      }
      return;
    } catch (error) {
      if (ended.aborted) return;
      to.interrupted.value = sentenceOf(error);
      // Such as rights that were lost: the page reads the item again, and says so.
      if (error instanceof ApiError && !error.retryable) return recorded(to, ended);
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

const waiting = new WeakSet<object>();

function recorded(to: ReturnType<typeof makeFollowed>, ended: AbortSignal): void {
  if (waiting.has(to)) return;
  waiting.add(to);
  setTimeout(() => {
    waiting.delete(to);
    if (!ended.aborted) to.revision.value++;
  }, READ_MS);
}
