/** A text as one word of a shell's command line: as it is, or quoted where that is necessary. */
export function shellWord(value: string | number): string {
  const text = String(value);
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
