/** The place in a text at or after `index` that is not in the middle of a character (a surrogate pair). */
export function wholeCharacterFrom(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index + 1 : index;
}
