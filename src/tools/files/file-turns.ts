/** Serializes changes of the same file: calls of one answer run in parallel, and one could undo the other. */
const waiting = new Map<string, Promise<unknown>>();

/** Runs `change` after all earlier changes of this real path in this process have ended, also failed ones. */
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

/** The same for a change of several files. They are locked in the order of their names, so that calls cannot deadlock. */
export function inTurns<T>(reals: Iterable<string>, change: () => Promise<T>): Promise<T> {
  const [first, ...rest] = [...new Set(reals)].sort();
  return first === undefined ? change() : inTurn(first, () => inTurns(rest, change));
}
