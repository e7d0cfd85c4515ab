/** The blocks of a page that run only where a test has a server of its own. */
import { readFileSync } from 'node:fs';

/** The text of the only block of `docs/<page>` in which this stands. Throws an Error if there are none or several. */
export function pageBlock(page: string, part: string): string {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, block]) => block!);
  const found = blocks.filter((block) => block.includes(part));
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${page} have ${part}`);
  return found[0]!;
}
