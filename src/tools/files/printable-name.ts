/** The name of a file in a list of one per line: it may hold line breaks and other control characters, which would forge entries. */
export function printableName(name: string): string {
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name;
}
