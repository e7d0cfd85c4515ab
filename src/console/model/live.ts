/** Says when work that the person may see has changed: one stream for all that is shown, open only while something shows it. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from './api.ts';
import { createPace } from './pace.ts';

const RECONNECT_MS = 3000;

const count = signal(0);
/** Goes up after changes of any work, soon after the first one and then every few seconds; not while the page is hidden. */
export const changes: ReadonlySignal<number> = count;

let users = 0;
let stop: AbortController | null = null;

/** Follows all work while the component is shown. */
export function useLiveStates(): void {
  useEffect(() => {
    users++;
    if (stop === null) void follow((stop = new AbortController()).signal);
    return () => {
      users--;
      if (users > 0) return;
      stop?.abort();
      stop = null;
    };
  }, []);
}

/** When the stream is interrupted, what is shown is read again as soon as there is a new one. What cannot be read is said where it is shown. */
async function follow(ended: AbortSignal): Promise<void> {
  const pace = createPace(
    () => count.value++,
    () => document.visibilityState === 'visible',
  );
  const shown = () => pace.look();
  document.addEventListener('visibilitychange', shown);
  ended.addEventListener('abort', () => {
    document.removeEventListener('visibilitychange', shown);
    pace.stop();
  });
  while (!ended.aborted) {
    try {
      for await (const _ of api.work.states({ signal: ended })) pace.changed();
    } catch {
      if (ended.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}
