/** list_dir: lists a directory. */
import { lstat, opendir, readlink } from 'node:fs/promises';
import { z } from 'zod';
import { type DatabaseFile, type ToolOutput, toolError, worldTool } from '../tool.ts';
import { namesBelow } from './database-files.ts';
import { withMounts } from './mounts.ts';
import { printableName } from './printable-name.ts';
import { isRefusal, refusalOf, refusedCall } from './refusal.ts';
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
    'Lists a directory of the workspace, hidden files included: directories end in /, files show their bytes, links their target.',
  words: { path: 'default: the workspace' },
  input,
  kinds: { path: 'path' },
  risk: 'read',
  idempotent: true,
  async run({ path = '.' }, context) {
    const kept = await namesBelow(path, context);
    const bounds = await withMounts(context, [path]);
    const inside = await resolveInside(bounds, path);
    if (isRefusal(inside)) return refusedCall(inside);
    const most = context.codeBytes === undefined ? MAX_ENTRIES : MAX_GIVEN;
    const opened = await openDirectoryInside(bounds, inside.real, { create: false });
    // A directory may be there for files in the database alone.
    if (isRefusal(opened))
      return kept.size > 0 && !inside.exists ? show(inside.shown, [], kept, most) : refusedCall(opened);
    await using directory = opened;
    try {
      return await list(directory, inside.shown, most, context.signal, kept);
    } catch (error) {
      return toolError(refusalOf(error, inside.shown).refusal);
    }
  },
});

type Kept = ReadonlyMap<string, DatabaseFile | null>;

async function list(
  directory: InsideDirectory,
  shown: string,
  most: number,
  signal: AbortSignal,
  kept: Kept,
): Promise<ToolOutput> {
  const names: string[] = [];
  for await (const entry of await opendir(directory.base, { bufferSize: 1000 })) {
    signal.throwIfAborted();
    if (names.push(entry.name) >= MAX_COUNTED) break;
  }
  const entries: Entry[] = [];
  // A file in the database stands before a real one.
  for (const name of names.sort().slice(0, most)) {
    if (!kept.has(name)) entries.push(await describe(directory, name));
  }
  const listed = new Set(names);
  const others = [...kept].filter(([name]) => !name.endsWith('/') || !listed.has(name.slice(0, -1)));
  return show(shown, entries, new Map(others), most, names.length);
}

function show(shown: string, real: readonly Entry[], kept: Kept, most: number, count = 0): ToolOutput {
  const all = [...real, ...[...kept].slice(0, most).map(([name, file]) => keptEntry(name, file))];
  if (all.length === 0)
    return {
      content: `[${shown} is empty]`,
      details: { path: shown, entries: 0 },
      data: () => ({ entries: [], more: false }),
    };
  const entries = all.slice(0, most);
  const lines = entries.map(({ line }) => line);
  const total = Math.max(count, real.length) + kept.size;
  if (total > most) {
    const words = count >= MAX_COUNTED ? `${MAX_COUNTED} or more` : total;
    lines.push(`[the first ${most} of ${words} entries; use bash with find or ls to narrow it down]`);
  }
  return {
    content: lines.join('\n'),
    details: { path: shown, entries: total },
    data: () => ({ entries: entries.map(({ line: _, ...entry }) => entry), more: total > most }),
  };
}

function keptEntry(name: string, file: DatabaseFile | null): Entry {
  const shown = printableName(name.replace(/\/$/, ''));
  if (file === null) return { name: shown, kind: 'directory', size: null, line: `${shown}/` };
  if (file.kind === 'chat') return { name: shown, kind: 'file', size: null, line: `${shown}\t[virtual file]` };
  return { name: shown, kind: 'file', size: file.bytes, line: `${shown}\t${file.bytes}\t[read-only]` };
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
