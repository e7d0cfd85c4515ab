/**
 * Looks something up once for all commands that arrive together. Node emits the messages of one read of the channel one after the other: what was true
 * when the first of them is handled was so after all of them had been sent. Nothing is remembered beyond that.
 */
export function oncePerBatch<Key, Value>(look: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = look(key);
    if (known.size === 0) process.nextTick(() => known.clear());
    known.set(key, value);
    return value;
  };
}
