/** JSON as Postgres can store it. */

/**
 * Serialises a value for a `jsonb` parameter. Postgres refuses what JSON allows: the NUL character and unpaired
 * surrogates; both become U+FFFD here, at the boundary, so that no tool output can make a focus unrecordable.
 */
export function toJsonb(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  // Both are written as escapes. Only a text that may contain one takes the slow way, which calls back for every part.
  if (!/\\u(?:d|0000)/.test(text)) return text;
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? toText(part) : part));
}

/** The same for a `text` parameter. */
export function toText(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}
