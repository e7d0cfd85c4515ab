/** Handles null in place of a property that was left out: models that must name every property write one. */

/**
 * A copy without the properties at these paths whose value is null; null if no property was left out. A path is the keys
 * from the outermost value inwards.
 */
export function withoutNulls(value: unknown, paths: readonly (readonly PropertyKey[])[]): unknown {
  const copy: unknown = structuredClone(value);
  const left = paths.filter((path) => leaveOut(copy, path));
  return left.length > 0 ? copy : null;
}

function leaveOut(value: unknown, path: readonly PropertyKey[]): boolean {
  const last = path.at(-1);
  let holder = value;
  for (const key of path.slice(0, -1)) {
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return false;
    holder = (holder as Record<PropertyKey, unknown>)[key];
  }
  if (last === undefined || typeof holder !== 'object' || holder === null || Array.isArray(holder)) return false;
  const object = holder as Record<PropertyKey, unknown>;
  if (!Object.hasOwn(object, last) || object[last] !== null) return false;
  return Reflect.deleteProperty(object, last);
}
