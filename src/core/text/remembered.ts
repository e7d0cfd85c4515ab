/** More names than a process uses; beyond it, all are forgotten. */
const MAX_KNOWN = 1000;

/** A pure function of a text that keeps its results, at most 1,000 of them. Results are shared: nobody may change them. */
export function remembered<Result>(make: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const made = make(text);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, made);
    return made;
  };
}

/** A pure function of an object that keeps its result as long as the object is in use. */
export function rememberedOf<Given extends object, Result>(make: (given: Given) => Result): (given: Given) => Result {
  const known = new WeakMap<Given, Result>();
  return (given) => {
    const before = known.get(given);
    if (before !== undefined) return before;
    const made = make(given);
    known.set(given, made);
    return made;
  };
}
