/** The beginning of a long text. */

/** At most `most` characters, without half of a surrogate pair at the end. */
export function headOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
