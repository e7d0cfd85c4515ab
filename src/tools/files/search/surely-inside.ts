/**
 * Drops results that are not in the workspace. ripgrep follows no links, but it opens files by their paths: somebody who puts a link in place of a
 * directory at the right moment leads it elsewhere. A file that is opened here again is checked after it was opened.
 */
import type { FileHandle } from 'node:fs/promises';
import type { Bounds } from '../mounts.ts';
import { isRefusal } from '../refusal.ts';
import { openInside } from '../workspace.ts';
import type { PathCount, PathLine } from './answer.ts';
import { isItself } from './names-inside.ts';

/** Room for a byte order mark, which ripgrep does not count. */
const MARK_BYTES = 3;
/** A file in UTF-16 is read whole, up to this size; of a larger one nothing is known. */
const MAX_DECODED_BYTES = 10 * 1024 * 1024;

/** `changed`: files of lines that were dropped, which may also have been edited meanwhile. */
export interface Sure<Found> {
  readonly sure: readonly Found[];
  readonly changed: readonly string[];
}

/** Lines that their files still contain. */
export async function linesInside(lines: readonly PathLine[], bounds: Bounds): Promise<Sure<PathLine>> {
  const byFile = [...Map.groupBy(lines, ({ real }) => real)];
  const checked = await Promise.all(
    byFile.map(async ([real, found]) => (real === null ? found : linesOf(real, found, bounds))),
  );
  const sure = checked.flat();
  const kept = new Set(sure);
  return { sure, changed: [...new Set(lines.filter((line) => !kept.has(line)).map(({ path }) => path))] };
}

/** Files whose paths go through no link. */
export async function filesInside(files: readonly PathCount[], bounds: Bounds): Promise<Sure<PathCount>> {
  const checked = await Promise.all(files.map(async ({ real }) => real === null || isItself(real, bounds)));
  const changed = files.filter((_, index) => !checked[index]).map(({ path }) => path);
  return { sure: files.filter((_, index) => checked[index]), changed };
}

async function linesOf(real: string, lines: readonly PathLine[], bounds: Bounds): Promise<PathLine[]> {
  const file = await openInside(bounds, { real, exists: true, shown: real });
  if (isRefusal(file)) return [];
  try {
    const decoded = await textOfUtf16(file);
    const are = await Promise.all(
      lines.map(async ({ start, offset }) =>
        decoded === null ? hasAt(file, offset, start) : decoded.includes(start.toString().replace(/\uFFFD$/, '')),
      ),
    );
    return lines.filter((_, index) => are[index]);
  } finally {
    await file.close();
  }
}

async function hasAt(file: FileHandle, offset: number, bytes: Buffer): Promise<boolean> {
  const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(bytes.length + MARK_BYTES), position: offset });
  const read = buffer.subarray(0, bytesRead);
  return read.indexOf(bytes) === 0 || read.indexOf(bytes) === MARK_BYTES;
}

/** Null for a file without the mark of UTF-16. */
async function textOfUtf16(file: FileHandle): Promise<string | null> {
  const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(2), position: 0 });
  const mark = buffer.subarray(0, bytesRead).toString('hex');
  if (mark !== 'fffe' && mark !== 'feff') return null;
  const { size } = await file.stat();
  if (size > MAX_DECODED_BYTES) return '';
  const whole = Buffer.alloc(size);
  await file.read({ buffer: whole, position: 0 });
  return new TextDecoder(mark === 'fffe' ? 'utf-16le' : 'utf-16be').decode(whole);
}
