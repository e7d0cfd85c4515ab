import type { Output } from './output.ts';
import { duration } from './quantities.ts';

/** What is over before this is not worth a word. */
const PATIENCE_MS = 500;

/** Does `work`; when it takes long, a line on the terminal says what is waited for, and how long already. */
export async function whileWaiting<T>(output: Output, what: string, work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const ticking = setInterval(
    () => output.progress(`${what} … ${duration(performance.now() - startedMs)}`),
    PATIENCE_MS,
  );
  try {
    return await work();
  } finally {
    clearInterval(ticking);
    output.progress(null);
  }
}
