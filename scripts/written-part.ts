/** Parts of files that scripts write, between two comments, in Markdown and in SQL. */

/** The text with another part. `by`: the command that writes it, as it is named in the comment. Throws if the text has no place for it. */
export function withPart(
  text: string,
  { name, by }: { readonly name: string; readonly by: string },
  part: string,
): string {
  const begin = new RegExp(`^(?:<!--|--) The ${name}, written by \`${by}\`\\.(?: -->)?\n`, 'm').exec(text);
  const end = new RegExp(`^(?:<!--|--) End of the ${name}\\.(?: -->)?$`, 'm').exec(text);
  if (begin === null || end === null) throw new Error(`there is no place for the ${name}`);
  return text.slice(0, begin.index + begin[0].length) + part + text.slice(end.index);
}
