/** Waits by polling for a state that nothing announces. */

/** Polls until `look` returns something other than null, every 50 ms; after `seconds` (default 80) it fails with `what`. */
export async function eventually<T>(what: string, look: () => Promise<T | null> | T | null, seconds = 80): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const seen = await look();
    if (seen !== null) return seen;
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
