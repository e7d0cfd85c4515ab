/** Reads files for the tools: whole, up to a size limit, with problems of their encoding reported. */
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Bounds } from './mounts.ts';
import { isRefusal, type Refusal, refusalOf, refuse } from './refusal.ts';
import { hashOf } from './seen-files.ts';
import { type InsidePath, openInside, resolveInside } from './workspace.ts';

/** Larger files are refused: 10 MiB. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Why a file may not be changed, after its name. */
export const NOT_UTF8 =
  'is not valid UTF-8, so saving it would damage it; convert it first (bash: iconv -f LATIN1 -t UTF-8, say), or change it with bash';

/** What a file contains. */
export interface FileContent {
  readonly stats: Stats;
  /** `hashOf` its bytes. */
  readonly hash: string;
  /** True: the file changed while it was read, so the content may be partly old and partly new. */
  readonly changing: boolean;
  /** Null if it is larger than `MAX_FILE_BYTES`; `hash` says nothing then. */
  readonly content: Buffer | null;
}

/** A file of the workspace. */
export interface WorkspaceFile extends FileContent {
  readonly real: string;
  readonly shown: string;
  readonly content: Buffer;
}

/** A text file's content. */
export interface TextFile extends Omit<WorkspaceFile, 'content'> {
  readonly text: string;
  readonly bytes: number;
  /** False: `text` contains U+FFFD in place of invalid UTF-8 and must not be written back. */
  readonly validUtf8: boolean;
}

/** Reads a text file of the workspace; refuses directories, devices, binary content and large files. */
export async function readTextFile(bounds: Bounds, path: string): Promise<TextFile | Refusal> {
  const file = await readWorkspaceFile(bounds, path);
  return isRefusal(file) ? file : textOf(file);
}

/** The file as a text; refuses binary content. */
export function textOf({ content, ...file }: WorkspaceFile): TextFile | Refusal {
  const nul = content.indexOf(0);
  if (nul >= 0) return refuse(`${file.shown}: ${binary(content, nul)}`);
  const text = content.toString('utf8');
  return { ...file, text, bytes: content.length, validUtf8: Buffer.from(text).equals(content) };
}

/** Reads a file of the workspace, whatever is in it; refuses directories, devices and large files. */
export async function readWorkspaceFile(bounds: Bounds, path: string): Promise<WorkspaceFile | Refusal> {
  const inside = await resolveInside(bounds, path);
  if (isRefusal(inside)) return inside;
  const file = await readContent(bounds, inside);
  if (isRefusal(file)) return file;
  const { content } = file;
  if (content === null) return refuse(`${inside.shown}: ${tooLarge(file.stats.size)}`);
  return { ...inside, ...file, content };
}

/** Reads a regular file, whatever it contains. */
export async function readContent(bounds: Bounds, path: InsidePath): Promise<FileContent | Refusal> {
  const handle = await openInside(bounds, path);
  if (isRefusal(handle)) return handle;
  try {
    const stats = await handle.stat();
    const content = stats.size > MAX_FILE_BYTES ? null : await readUpTo(handle, MAX_FILE_BYTES);
    const now = await handle.stat();
    const changing = now.mtimeMs !== stats.mtimeMs || now.size !== stats.size;
    return { content, stats, hash: hashOf(content ?? ''), changing };
  } catch (error) {
    return refusalOf(error, path.shown);
  } finally {
    await handle.close();
  }
}

/** Null if the file is larger. Its reported size is not used: the file may grow, and files of /proc report none. */
export async function readUpTo(handle: FileHandle, limit: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  for (let total = 0; ; ) {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(256 * 1024) });
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    if (total > limit) return null;
  }
}

function tooLarge(size: number): string {
  const mib = (size / 1024 / 1024).toFixed(1);
  return `is too large (${mib} MiB; the limit is ${MAX_FILE_BYTES / 1024 / 1024} MiB); look at parts of it with bash: head, tail, grep, sed -n`;
}

function binary(content: Buffer, nul: number): string {
  const mark = content.subarray(0, 2).toString('hex');
  const utf16 = mark === 'fffe' ? 'UTF-16LE' : mark === 'feff' ? 'UTF-16BE' : null;
  if (utf16) return `is ${utf16} text; convert it with bash: iconv -f ${utf16} -t UTF-8`;
  return `is binary (a NUL byte at ${nul}); look at it with bash: file, xxd | head, strings`;
}
