/** Waits between attempts. */

const FIRST_MS = 250;
const LONGEST_MS = 8_000;

/** How long to wait after so many failures in a row: 0.25, 0.5, 1, 2, 4, 8 s, less up to half of it by chance. */
export function backOffMs(failures: number, firstMs = FIRST_MS): number {
  return Math.min(firstMs * 2 ** failures, Math.max(firstMs, LONGEST_MS)) * (0.5 + 0.5 * Math.random());
}

/** Resolves after `ms` milliseconds. Throws the signal's reason when it aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}
