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

/** The same for a change of several files: they are waited for in order of their names, so that no two calls wait for each other. */
export function inTurns<T>(reals: Iterable<string>, change: () => Promise<T>): Promise<T> {
  const [first, ...rest] = [...new Set(reals)].sort();
  return first === undefined ? change() : inTurn(first, () => inTurns(rest, change));
}
