/** A library of many skills, as one would be after years. */
import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Words of which descriptions and bodies are made. */
const WORDS =
  'release deploy invoice ledger schema migration browser parser latency cluster backup restore certificate queue worker cache report export billing customer'.split(
    ' ',
  );

/** Writes `count` skills of about 4 KiB, every tenth with a script and a reference, into a new directory; returns it. */
export function writeLibrary(count: number): string {
  const root = mkdtempSync(join(tmpdir(), 'bench-skills-'));
  for (let index = 0; index < count; index++) {
    const name = nameOf(index);
    const directory = join(root, name);
    mkdirSync(join(directory, 'scripts'), { recursive: true });
    const files: [string, string][] = [['SKILL.md', textOf(index)]];
    if (index % 10 === 0) files.push(['scripts/run.py', 'print(1)\n'.repeat(50)], ['reference.md', body(index, 80)]);
    for (const [path, content] of files) {
      writeFileSync(join(directory, path), content);
      // Older than what the clock of a file system can distinguish: such a file need not be read again.
      utimesSync(join(directory, path), new Date(2020, 0), new Date(2020, 0));
    }
  }
  return root;
}

/** The name of a skill of the library. */
export function nameOf(index: number): string {
  return `${word(index)}-${word(index * 7 + 3)}-${index}`;
}

/** Its SKILL.md. */
export function textOf(index: number): string {
  const description = `Explains how to ${word(index)} the ${word(index + 5)} when the ${word(index * 3)} is involved. Use it for questions about ${word(index * 11)}.`;
  const metadata = `metadata:\n  animus.version: "1"\n  animus.keywords: ${word(index)}, ${word(index + 5)} ${index}`;
  return `---\nname: ${nameOf(index)}\ndescription: ${description}\nlicense: MIT\n${metadata}\n---\n\n${body(index, 50)}`;
}

function body(index: number, lines: number): string {
  return Array.from({ length: lines }, (_, line) => {
    return `${line + 1}. Check the ${word(index + line)} before the ${word(index * 5 + line)}, then write down what the ${word(line)} says.\n`;
  }).join('');
}

function word(index: number): string {
  return WORDS[index % WORDS.length] ?? '';
}
