/** Directories of skills for tests. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The text of a SKILL.md. `front` are further lines of its front matter. */
export function skillText(name: string, { front = '', body = `Do what ${name} says.` } = {}): string {
  return `---\nname: ${name}\ndescription: What ${name} is for, and when to use it.\n${front}${front && '\n'}---\n\n${body}\n`;
}

/** Writes these files, by path, into a new directory that is removed after the test; returns the directory. */
export function skillTree(files: Readonly<Record<string, string | Buffer>>): string {
  const root = mkdtempSync(join(tmpdir(), 'animus-skills-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) putFile(join(root, path), content);
  return root;
}

/** Writes a file, with its folders. */
export function putFile(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
