/** The time, in steps of some seconds: an age that is shown changes by itself. */
import { type ReadonlySignal, signal } from '@preact/signals';

const TICK_MS = 5000;
const time = signal(Date.now());

/** Milliseconds since 1970, up to five seconds old. */
export const clock: ReadonlySignal<number> = time;

export function startClock(): void {
  setInterval(() => (time.value = Date.now()), TICK_MS);
}
