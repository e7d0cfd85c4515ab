/** list_dir: lists a directory. */
import { lstat, opendir, readlink } from 'node:fs/promises';
import { z } from 'zod';
import { type ToolOutput, toolError, worldTool } from '../tool.ts';
import { withMounts } from './mounts.ts';
import { printableName } from './printable-name.ts';
import { isRefusal, refusalOf, refusedCall } from './refusal.ts';
import { virtualNames } from './virtual-files.ts';
import { type InsideDirectory, openDirectoryInside, resolveInside } from './workspace.ts';

const MAX_ENTRIES = 1000;
/** To code. */
const MAX_GIVEN = 20_000;
/** Counting stops at this many names. */
const MAX_COUNTED = 100_000;

const input = z.strictObject({
  path: z.string().min(1).optional().describe('Directory, relative to the workspace (default: the workspace itself)'),
});

export const listDirTool = worldTool<z.infer<typeof input>>({
  name: 'list_dir',
  description:
    'Lists a directory of the workspace, including hidden files. Names of directories end in /, files show their size in ' +
    `bytes, links show their target. At most ${MAX_ENTRIES} entries, sorted by name.`,
  input,
  kinds: { path: 'path' },
  risk: 'read',
  idempotent: true,
  async run({ path = '.' }, context) {
    const virtual = await virtualNames(path, context);
    const bounds = await withMounts(context, [path]);
    const inside = await resolveInside(bounds, path);
    if (isRefusal(inside)) return refusedCall(inside);
    const opened = await openDirectoryInside(bounds, inside.real, { create: false });
    // A directory may be there for its virtual files alone.
    if (isRefusal(opened))
      return virtual.length > 0 && !inside.exists ? onlyVirtual(inside.shown, virtual) : refusedCall(opened);
    await using directory = opened;
    try {
      const most = context.codeBytes === undefined ? MAX_ENTRIES : MAX_GIVEN;
      return await list(directory, inside.shown, most, context.signal, virtual);
    } catch (error) {
      return toolError(refusalOf(error, inside.shown).refusal);
    }
  },
});

function onlyVirtual(shown: string, virtual: readonly string[]): ToolOutput {
  const entries = virtual.map(virtualEntry);
  return {
    content: entries.map(({ line }) => line).join('\n'),
    details: { path: shown, entries: entries.length },
    data: () => ({ entries: entries.map(({ line: _, ...entry }) => entry), more: false }),
  };
}

function virtualEntry(name: string): Entry {
  const shown = printableName(name.replace(/\/$/, ''));
  if (name.endsWith('/')) return { name: shown, kind: 'directory', size: null, line: `${shown}/` };
  return { name: shown, kind: 'file', size: null, line: `${shown}\t[virtual file]` };
}

async function list(
  directory: InsideDirectory,
  shown: string,
  most: number,
  signal: AbortSignal,
  virtual: readonly string[],
): Promise<ToolOutput> {
  const names: string[] = [];
  for await (const entry of await opendir(directory.base, { bufferSize: 1000 })) {
    signal.throwIfAborted();
    if (names.push(entry.name) >= MAX_COUNTED) break;
  }
  if (names.length === 0 && virtual.length === 0)
    return {
      content: `[${shown} is empty]`,
      details: { path: shown, entries: 0 },
      data: () => ({ entries: [], more: false }),
    };
  const entries: Entry[] = [];
  const hidden = new Set(virtual.map((name) => name.replace(/\/$/, '')));
  for (const name of names.sort().slice(0, most)) {
    if (!hidden.has(name) || virtual.includes(`${name}/`)) entries.push(await describe(directory, name));
  }
  const listed = new Set(names);
  for (const name of virtual)
    if (!name.endsWith('/') || !listed.has(name.slice(0, -1))) entries.push(virtualEntry(name));
  const lines = entries.map(({ line }) => line);
  if (names.length > most) {
    const count = names.length >= MAX_COUNTED ? `${MAX_COUNTED} or more` : names.length;
    lines.push(`[the first ${most} of ${count} entries; use bash with find or ls to narrow it down]`);
  }
  return {
    content: lines.join('\n'),
    details: { path: shown, entries: names.length },
    data: () => ({ entries: entries.map(({ line: _, ...entry }) => entry), more: names.length > most }),
  };
}

interface Entry {
  readonly name: string;
  readonly kind: 'directory' | 'file' | 'link' | 'other';
  /** In bytes; null for anything but a file. */
  readonly size: number | null;
  /** For the model. */
  readonly line: string;
}

async function describe(directory: InsideDirectory, name: string): Promise<Entry> {
  const path = `${directory.base}/${name}`;
  const shown = printableName(name);
  const other = (line: string): Entry => ({ name: shown, kind: 'other', size: null, line });
  try {
    const stats = await lstat(path);
    const { size } = stats;
    if (stats.isDirectory()) return { name: shown, kind: 'directory', size: null, line: `${shown}/` };
    if (stats.isFile()) return { name: shown, kind: 'file', size, line: `${shown}\t${size}` };
    if (stats.isSymbolicLink())
      return { name: shown, kind: 'link', size: null, line: `${shown} -> ${printableName(await readlink(path))}` };
    return other(`${shown}\t[${stats.isFIFO() ? 'named pipe' : stats.isSocket() ? 'socket' : 'device'}]`);
  } catch (error) {
    // Deleted since the directory was read, or a name that is not UTF-8: still listed, without details.
    return other(`${shown}\t[${(error as NodeJS.ErrnoException).code ?? 'unreadable'}]`);
  }
}
