/** Lets a number of executions run at once; others wait in turn. */

export interface Slots {
  /** Resolves with a function that frees the slot. Rejects with the signal's reason when it is aborted first. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();
  const release = (): void => {
    const [next] = waiting;
    if (next) {
      waiting.delete(next);
      next();
    } else free++;
  };
  const once = (): (() => void) => {
    let released = false;
    return () => {
      if (!released) release();
      released = true;
    };
  };
  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free--;
        return once();
      }
      const turn = Promise.withResolvers<void>();
      const leave = (): void => {
        if (waiting.delete(turn.resolve)) turn.reject(signal.reason);
      };
      waiting.add(turn.resolve);
      signal.addEventListener('abort', leave, { once: true });
      await turn.promise.finally(() => signal.removeEventListener('abort', leave));
      return once();
    },
  };
}
