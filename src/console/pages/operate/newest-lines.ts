/** The newest lines of the audit, which comes as JSON Lines, oldest first. */
import type { AuditLine } from '../../../client/client.ts';

/** The newest one first. */
export function newestLines(
  text: string,
  most: number,
): { readonly lines: readonly AuditLine[]; readonly more: boolean } {
  const all = text.split('\n').filter((line) => line !== '');
  const lines = all
    .slice(-most)
    .toReversed()
    .map((line) => JSON.parse(line) as AuditLine);
  return { lines, more: all.length > most };
}
