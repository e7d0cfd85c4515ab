/** Separates text from other sources from the engine's own text in a message to a model. Pure: the same text gives the same bytes. */

import { harmless } from './harmless.ts';

/** More than ordinary text contains. */
const SHORTEST = 6;

/** What the two lines of the shortest fence take. `fencedLine` leaves no run of `~` that would need a longer one. */
export const FENCE_BYTES = 2 * SHORTEST + 3;

/**
 * Puts the text between two lines of `~`, one longer than any run of them in it, so it cannot close its own fence and look like a
 * heading or a notice of the engine. The fence is derived from the text and not random, because a request must have the same bytes when
 * it is sent again. The caller must say what the fence contains, and that it is data.
 */
export function fenced(text: string): string {
  let longest = SHORTEST - 1;
  for (const [run] of text.matchAll(/~+/g)) longest = Math.max(longest, run.length);
  const fence = '~'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The text of the fence that the message begins with; null if it begins with none. */
export function unfenced(message: string): string | null {
  const [, fence] = /^(~{6,})\n/.exec(message) ?? [];
  if (fence === undefined) return null;
  const end = message.indexOf(`\n${fence}`, fence.length);
  return end < 0 ? null : message.slice(fence.length + 1, end);
}

/** Formats one of several entries in a fence: its further lines are indented, so that none looks like a separate entry. */
export function entryText(text: string): string {
  return text.replace(/\r\n|[\n\r\u2028\u2029]/g, '$&  ');
}

/** A text as one line in a fence: without control characters and long runs of `~`, cut at a limit in characters. */
export function fencedLine(text: string, characters = Infinity): string {
  const line = harmless(text).replace(/ {2,}/g, ' ').replace(/~{4,}/g, '~~~');
  if (line.length <= characters) return line;
  // Not the first half of a character.
  const cut = line.slice(0, characters - 2).replace(/[\ud800-\udbff]$/, '');
  return `${cut.trimEnd()} …`;
}
