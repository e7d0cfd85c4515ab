/** Reads the files in which a workspace describes itself, such as AGENTS.md. Anyone who can write to the workspace can write them. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstructionSettings } from '../../catalog/faculty/instructions.ts';
import { cutAtCharacterEnd } from '../../process/supervisor/output-capture.ts';
import type { Bounds } from '../../tools/files/mounts.ts';
import { isRefusal, type Refusal, refusalOf } from '../../tools/files/refusal.ts';
import { openInside, resolveInside } from '../../tools/files/workspace.ts';

/** A file that is there. Its text is cut to the size that it was read with, and a problem says why it was not read. */
export type InstructionFile =
  | { readonly name: string; readonly text: string; readonly leftOutBytes: number }
  | { readonly name: string; readonly problem: string };

/**
 * Reads the files of the workspace that exist, all of them together at most `maxBytes`. `rules` is asked only if there is a file to
 * read. Links that leave the workspace, secrets, and everything but regular text files are reported and not read. Invalid UTF-8 becomes
 * U+FFFD. A file that says the same as an earlier one is left out.
 */
export async function readInstructionFiles(
  workspace: string,
  rules: () => Bounds['fileRules'],
  { files, maxBytes }: InstructionSettings,
): Promise<InstructionFile[]> {
  const there = await Promise.all(files.map((name) => isThere(join(workspace, name))));
  const names = files.filter((_, index) => there[index]);
  if (names.length === 0) return [];
  const bounds = { workspace, fileRules: rules() };
  const read: InstructionFile[] = [];
  const known = new Set<string>(['']);
  let left = maxBytes;
  for (const name of names) {
    const file = await readFirst(bounds, name, left);
    if (isRefusal(file)) {
      read.push({ name, problem: file.refusal });
      continue;
    }
    const text = file.text.trim();
    if (known.has(text) || files.some((other) => text === `@${other}` || text === `@./${other}`)) continue;
    known.add(text);
    left -= Buffer.byteLength(text);
    read.push({ name, text, leftOutBytes: file.leftOutBytes });
  }
  return read;
}

/** The beginning of a file, at most so many bytes of it, without half a character at the end. */
async function readFirst(
  bounds: Bounds,
  name: string,
  bytes: number,
): Promise<{ readonly text: string; readonly leftOutBytes: number } | Refusal> {
  const inside = await resolveInside(bounds, name);
  if (isRefusal(inside)) return inside;
  const handle = await openInside(bounds, inside);
  if (isRefusal(handle)) return handle;
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.max(0, Math.min(bytes, size)));
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    const read = buffer.subarray(0, filled);
    const content = filled >= size ? read : cutAtCharacterEnd(read);
    if (content.includes(0)) return { refusal: `${inside.shown}: is not a text file` };
    return { text: content.toString('utf8'), leftOutBytes: Math.max(0, size - content.length) };
  } catch (error) {
    return refusalOf(error, inside.shown);
  } finally {
    await handle.close();
  }
}

/** A link counts, wherever it leads. What cannot be looked at is reported when it is read. */
async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
