/** Gathers the calls that are made in one turn of the event loop, to run those of the same kind together. */

interface Waiting<Call, Result> {
  readonly call: Call;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** `kindOf`: calls with the same text run together. `runAll` returns a result for each call, in order; if it rejects, all of them do. */
export function gathered<Owner extends object, Call, Result>(
  kindOf: (call: Call, owner: Owner) => string,
  runAll: (calls: readonly Call[], owner: Owner) => Promise<readonly Result[]>,
): (call: Call, owner: Owner) => Promise<Result> {
  const waitingOf = new WeakMap<Owner, Map<string, Waiting<Call, Result>[]>>();
  const run = async (all: readonly Waiting<Call, Result>[], owner: Owner): Promise<void> => {
    try {
      const results = await runAll(
        all.map(({ call }) => call),
        owner,
      );
      for (const [n, { resolve }] of all.entries()) resolve(results[n]!);
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  };
  return (call, owner) => {
    const waiting = waitingOf.get(owner) ?? new Map<string, Waiting<Call, Result>[]>();
    if (waiting.size === 0) {
      waitingOf.set(owner, waiting);
      setImmediate(() => {
        waitingOf.delete(owner);
        for (const all of waiting.values()) void run(all, owner);
      });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const kind = kindOf(call, owner);
    waiting.set(kind, [...(waiting.get(kind) ?? []), { call, resolve, reject }]);
    return promise;
  };
}
