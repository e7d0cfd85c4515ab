/** The states of all work that the person may see, as they change: one stream for all that is shown, open only while something shows it. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { WorkNow } from '../../client/client.ts';
import { api, sentenceOf } from './api.ts';

/** Changes are told at most this often: a list is not read again for each of a thousand items that end. */
const TELL_MS = 1000;
const RECONNECT_MS = 3000;

/** Goes up after changes of any work. */
export const changes = signal(0);
/** Why the stream is interrupted; null: it is not, or nothing needs it. */
export const interrupted: ReadonlySignal<string | null> = signal<string | null>(null);
/** By id, since the stream began. */
export const states: ReadonlySignal<ReadonlyMap<string, WorkNow>> = signal(new Map());

let users = 0;
let stop: AbortController | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;

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

async function follow(ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    try {
      for await (const event of api.work.states({ signal: ended })) {
        set(interrupted, null);
        if (event.type === 'snapshot') set(states, new Map(event.items.map((item) => [item.work_item_id, item])));
        else if (event.type === 'state' || event.type === 'done')
          set(states, new Map(states.value).set(event.work_item_id, event));
        tell();
      }
    } catch (error) {
      if (ended.aborted) return;
      set(interrupted, sentenceOf(error));
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

function tell(): void {
  timer ??= setTimeout(() => {
    timer = null;
    changes.value++;
  }, TELL_MS);
}

function set<Value>(to: ReadonlySignal<Value>, value: Value): void {
  (to as { value: Value }).value = value;
}
