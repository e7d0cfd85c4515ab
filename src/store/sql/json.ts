/** JSON as Postgres can store it. */

/**
 * Serialises a value for a `json` or `jsonb` parameter. Postgres refuses what JSON allows: the NUL character and unpaired surrogates, in
 * values and in names; both become U+FFFD here, at the boundary, so that no tool output can make a focus unrecordable.
 */
export function toJsonb(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  // JSON.stringify writes both as escapes, and a surrogate only where it is unpaired. Every other escape is skipped as a whole.
  if (!/\\u(?:d|0000)/.test(text)) return text;
  return text.replace(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g, (escape) => (escape.length > 2 ? '\uFFFD' : escape));
}

/** The same for a `text` parameter; what is not given is null. */
export function toText(text: string): string;
export function toText(text: string | null | undefined): string | null;
export function toText(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const wellFormed = text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\uFFFD') : wellFormed;
}
