import type { Output } from './output.ts';
import { duration } from './quantities.ts';

/** Work that ends sooner shows no progress line. */
const PATIENCE_MS = 500;

/** Runs `work`. If it takes long, a line on the terminal shows what it waits for and the elapsed time. */
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
