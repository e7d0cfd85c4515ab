/** Limits how many calls of a turn run at once. */

/** Runs work when one of the slots is free; the rest waits in order. */
export type TakeSlot = <T>(work: () => Promise<T>) => Promise<T>;

/** `max` slots. */
export function createSlots(max: number): TakeSlot {
  let free = max;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => queue.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free += 1;
    }
  };
}
