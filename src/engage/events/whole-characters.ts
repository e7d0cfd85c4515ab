/** The text without the first half of a character whose other half has not arrived yet. */
export function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
