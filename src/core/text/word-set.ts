/** The words of a text with white space between them: for tables of many short names. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
