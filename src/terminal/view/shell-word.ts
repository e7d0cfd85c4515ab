/** A text as one word of a shell: quoted where a shell would read more than a word. For lines that a person copies. */
export function shellWord(value: string | number): string {
  const text = String(value);
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
