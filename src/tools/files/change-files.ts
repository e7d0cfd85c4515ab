/** Changes files: prepares all changes, then makes them. If one fails, the others are undone. */
import type { Stats } from 'node:fs';
import { copyFile, link, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../core/errors/errors.ts';
import { whileHeld } from '../../core/lifecycle/lease.ts';
import { isRefusal, type Refusal, refusalOf, refuse } from './refusal.ts';
import { existing, isStill, placeNew, type WriteBounds, whyNot, writeTemporary } from './temporary-file.ts';
import { removeLeft, temporaryNames } from './temporary-names.ts';
import type { FileContent } from './text-file.ts';
import { type InsidePath, openDirectoryInside, readOnlyReason } from './workspace.ts';

/** A prepared change. */
interface StagedChange {
  readonly shown: string;
  /** Makes the change. Rejects with the system's error; returns a refusal if the file has changed since it was read. */
  make(): Promise<Refusal | null>;
  /** Undoes `make`. Returns null, or why that failed and where the old content is. */
  undo(): Promise<string | null>;
  /** Removes the backup, unless it is still needed. */
  close(): Promise<void>;
}

/** A file to write (`content`) or remove (null). `read`: the file as it was read; null if it must not exist; `any`: whatever is there. */
export interface FileChange {
  readonly path: InsidePath;
  readonly content: string | null;
  readonly read: Pick<FileContent, 'stats' | 'hash'> | null | 'any';
  /** A new file gets the mode and owner of this one. */
  readonly like?: Stats;
}

/** Why not all changes were made. */
interface FailedChanges extends Refusal {
  /** True: some changes remain, because undoing them failed. */
  readonly partly?: true;
}

/**
 * Makes all changes or none, each through a temporary file in the same directory and a rename; creates parent directories. Keeps the mode of an
 * existing file and, if the system allows it, its owner. A file created by root gets the owner of the directory. If one change fails, for example
 * on a full disk, the earlier ones are undone. Some remain only if the process dies in between or a file cannot be restored, which is reported.
 * Returns null if all were made.
 */
export async function makeChanges(bounds: WriteBounds, changes: readonly FileChange[]): Promise<FailedChanges | null> {
  const staged: StagedChange[] = [];
  try {
    for (const change of changes) {
      const prepared = await stage(bounds, change, changes.length > 1);
      if (isRefusal(prepared)) return prepared;
      staged.push(prepared);
    }
    return await makeAll(staged);
  } finally {
    for (const change of staged) await change.close();
  }
}

async function makeAll(staged: readonly StagedChange[]): Promise<FailedChanges | null> {
  const made: StagedChange[] = [];
  for (const change of staged) {
    const refusal = await change.make().catch((error: unknown) => refusalOf(error, change.shown));
    if (refusal === null) {
      made.push(change);
      continue;
    }
    const left: string[] = [];
    for (const done of made.toReversed()) {
      const problem = await done.undo();
      if (problem !== null) left.push(problem);
    }
    return left.length === 0 ? refusal : { refusal: `${refusal.refusal}; ${left.join('; ')}`, partly: true };
  }
  return null;
}

/** `mayUndo`: other changes may fail after this one. */
async function stage(
  bounds: WriteBounds,
  { path, content, read, like }: FileChange,
  mayUndo: boolean,
): Promise<StagedChange | Refusal> {
  const directory = await openDirectoryInside(bounds, dirname(path.real), { create: content !== null });
  if (isRefusal(directory)) return directory;
  const target = `${directory.base}/${basename(path.real)}`;
  const names = temporaryNames();
  /** The name of the old content that could not be put back. */
  let keptAs: string | null = null;
  const at = (name: string): string => `${directory.base}/${name}`;
  const [temporary, backup] = [at(names.fresh), at(names.backup)];
  const close = async () => {
    await rm(temporary, { force: true });
    if (keptAs !== names.backup) await rm(backup, { force: true });
    await directory[Symbol.asyncDispose]();
  };
  try {
    await removeLeft(directory, bounds.lease);
    const old = await existing(target);
    const readOnly = readOnlyReason(bounds, join(directory.real, basename(path.real)));
    if (readOnly) return await closing(close, refuse(`${path.shown}: ${readOnly.why}`, readOnly.boundary));
    const problem = old ? await whyNot(target, old) : null;
    if (problem) return await closing(close, refuse(`${path.shown}: ${problem}`));
    if (content !== null) await writeTemporary(temporary, content, old ?? like ?? null, directory.heir);
    // A hard link to the old file costs no space; a file system without hard links needs a copy.
    if (old && mayUndo) await link(target, backup).catch(() => copyFile(target, backup));
    return {
      shown: path.shown,
      close,
      async make() {
        const changed = refuse(`${path.shown}: was changed by something else in the meantime; read it again`);
        if (read === null) return (await placeNew(temporary, target, bounds.lease)) ? null : changed;
        if (read !== 'any' && !(await isStill(read, target))) return changed;
        await whileHeld(bounds.lease, () => (content === null ? rm(target) : rename(temporary, target)));
        return null;
      },
      async undo() {
        try {
          await whileHeld(bounds.lease, () => (old ? rename(backup, target) : rm(target)));
          return null;
        } catch (error) {
          if (old !== null)
            keptAs = await rename(backup, at(names.kept)).then(
              () => names.kept,
              () => names.backup,
            );
          const kept = keptAs === null ? '' : `, its old content is in ${join(dirname(path.shown), keptAs)}`;
          return `${path.shown} could not be restored (${messageOf(error)})${kept}`;
        }
      },
    };
  } catch (error) {
    return await closing(close, refusalOf(error, path.shown));
  }
}

async function closing<T>(close: () => Promise<void>, result: T): Promise<T> {
  await close();
  return result;
}
