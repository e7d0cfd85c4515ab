/** Calls of one answer run in parallel; those that change the same file take turns, or one would undo the other. */
const waiting = new Map<string, Promise<unknown>>();

/** Runs `change` when all earlier changes of this real path in this process have ended, however they ended. */
export async function inTurn<T>(real: string, change: () => Promise<T>): Promise<T> {
  const before = waiting.get(real) ?? Promise.resolve();
  const mine = before.then(change, change);
  waiting.set(real, mine);
  try {
    return await mine;
  } finally {
    if (waiting.get(real) === mine) waiting.delete(real);
  }
}
