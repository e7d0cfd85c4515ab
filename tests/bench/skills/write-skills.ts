/** Directories of made-up skills for benchmarks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const WORDS =
  'release notes review invoice parser migration cache latency flaky test report customer refund deploy rollback schema index query token vector search summary translate glossary contract audit ledger budget forecast incident alert metric trace queue worker retry image document table chart slide letter meeting agenda travel booking visa recipe garden weather'.split(
    ' ',
  );

/**
 * Writes `count` skills with descriptions of about 200 characters, keywords and bodies of 2 KB. The first `activated` have the keyword `item`, on which
 * foci of the benchmarks begin with them.
 */
export function writeSkills(directory: string, count: number, activated = 0): void {
  for (let n = 0; n < count; n++) {
    const word = (k: number) => WORDS[(n * 7 + k * 13 + Math.floor(n / 52) * k) % WORDS.length]!;
    const name = `${word(0)}-${word(1)}-${n}`;
    const description = `Handles ${word(0)} and ${word(1)} where ${word(2)} meets ${word(3)}. Use it when somebody asks for ${word(4)}, ${word(5)} or ${word(6)} number ${n}, and when a ${word(7)} has to be compared with a ${word(8)}.`;
    const keywords = n < activated ? 'item' : `${word(2)} ${word(9)}, ${word(4)}-${n}`;
    const body = Array.from({ length: 20 }, (_, line) => `${line + 1}. ${description.slice(0, 90)}`).join('\n');
    mkdirSync(join(directory, name), { recursive: true });
    writeFileSync(
      join(directory, name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: ${description}\nmetadata:\n  animus.keywords: "${keywords}"\n---\n${body}\n`,
    );
  }
}
