/** How many requests wait for a person: the badge of the navigation, and the title of the page. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from './api.ts';

const EVERY_MS = 15_000;
/** More are not counted. */
const MOST = 100;

const count = signal<number | null>(null);
/** Null: it is not known. */
export const needs: ReadonlySignal<number | null> = count;

/** Asks now and then, while the page is visible. */
export function useNeeds(): void {
  useEffect(() => {
    const stop = new AbortController();
    const ask = () => void readNeeds(stop.signal);
    ask();
    const timer = setInterval(() => document.visibilityState === 'visible' && ask(), EVERY_MS);
    document.addEventListener('visibilitychange', ask);
    return () => {
      stop.abort();
      count.value = null;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, []);
}

async function readNeeds(signal: AbortSignal): Promise<void> {
  try {
    const { items } = await api.approvals.listGroups({ limit: MOST }, { signal });
    count.value = items.reduce((sum, { count: some }) => sum + some, 0);
  } catch {
    // What does not work is said by the page that the person looks at.
    if (!signal.aborted) count.value = null;
  }
}
