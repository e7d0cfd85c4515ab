/** Handles null in place of a property that was left out: models that must name every property write one. */

/**
 * A copy without the properties at these paths whose value is null; null if no property was left out. A path is the keys
 * from the outermost value inwards.
 */
export function withoutNulls(value: unknown, paths: readonly (readonly PropertyKey[])[]): unknown {
  if (!paths.some((path) => isNullAt(value, path))) return null;
  const copy: unknown = structuredClone(value);
  for (const path of paths) if (isNullAt(copy, path)) leaveOut(copy, path);
  return copy;
}

function isNullAt(value: unknown, path: readonly PropertyKey[]): boolean {
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((outer, key) => (isHolder(outer) && Object.hasOwn(outer, key) ? outer[key] : undefined), value);
  const last = path.at(-1);
  return (
    last !== undefined &&
    isHolder(holder) &&
    !Array.isArray(holder) &&
    Object.hasOwn(holder, last) &&
    holder[last] === null
  );
}

function leaveOut(value: unknown, path: readonly PropertyKey[]): void {
  const holder = path.slice(0, -1).reduce<unknown>((outer, key) => (outer as Record<PropertyKey, unknown>)[key], value);
  Reflect.deleteProperty(holder as object, path.at(-1)!);
}

function isHolder(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
