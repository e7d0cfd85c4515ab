/** Parts of files that scripts write, between two comments, in Markdown and in SQL. */

/** The text with another part. `by`: the command that writes it, as it is named in the comment. Throws if the text has no place for it. */
export function withPart(
  text: string,
  { name, by }: { readonly name: string; readonly by: string },
  part: string,
): string {
  const begin = lineWith(`The ${name}, written by \`${by}\`.`, text);
  const end = lineWith(`End of the ${name}.`, text);
  if (begin === null || end === null) throw new Error(`there is no place for the ${name}`);
  return text.slice(0, begin.until) + part + text.slice(end.from);
}

function lineWith(words: string, text: string): { readonly from: number; readonly until: number } | null {
  for (const line of [`<!-- ${words} -->\n`, `-- ${words}\n`]) {
    const from = text.indexOf(line);
    if (from >= 0) return { from, until: from + line.length };
  }
  return null;
}
