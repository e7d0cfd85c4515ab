/** Changes of several files as one: each is prepared first, then all are made, or what was made is taken back. */
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { copyFile, link, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../../core/errors/errors.ts';
import { isRefusal, type Refusal, refusalOf, refuse } from '../refusal.ts';
import { existing, isSame, whyNot, writeTemporary } from '../replace-file.ts';
import { type Bounds, type InsidePath, openDirectoryInside, readOnlyReason } from '../workspace.ts';

/** A prepared change. */
interface StagedChange {
  readonly shown: string;
  /** Makes it. Rejects with what the system says; a refusal when the file has changed since it was read. */
  make(): Promise<Refusal | null>;
  /** Takes back what `make` has done; null, or why it could not and where the old content is. */
  undo(): Promise<string | null>;
  /** Removes what was kept for that, unless it is still needed. */
  close(): Promise<void>;
}

/** A file to be written (`content`) or removed (null). `read`: what was read of it, null where it must not exist. */
export interface FileChange {
  readonly path: InsidePath;
  readonly content: string | null;
  readonly read: Stats | null;
  /** Mode and owner of a new file are those of this one. */
  readonly like?: Stats;
}

/** Why not all changes were made. */
interface FailedChanges extends Refusal {
  /** True: some stay made, since they could not be taken back. */
  readonly partly?: true;
}

/**
 * Makes all changes or none: when one cannot be made, a full disk included, those before it are taken back. Only the
 * death of the process in between leaves some made, or a file that cannot be put back, which is told. Null when all are made.
 */
export async function makeChanges(bounds: Bounds, changes: readonly FileChange[]): Promise<FailedChanges | null> {
  const staged: StagedChange[] = [];
  try {
    for (const change of changes) {
      const prepared = await stage(bounds, change);
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

async function stage(bounds: Bounds, { path, content, read, like }: FileChange): Promise<StagedChange | Refusal> {
  const directory = await openDirectoryInside(bounds, dirname(path.real), { create: content !== null });
  if (isRefusal(directory)) return directory;
  const target = `${directory.base}/${basename(path.real)}`;
  const own = `${directory.base}/.animus-${randomUUID()}`;
  const [temporary, backup] = [`${own}.tmp`, `${own}.old`];
  let backupIsNeeded = false;
  const close = async () => {
    await rm(temporary, { force: true });
    if (!backupIsNeeded) await rm(backup, { force: true });
    await directory[Symbol.asyncDispose]();
  };
  try {
    const old = await existing(target);
    const readOnly = readOnlyReason(bounds, join(directory.real, basename(path.real)));
    const problem = readOnly ?? (old ? await whyNot(target, old) : null);
    if (problem) return await closing(close, refuse(`${path.shown}: ${problem}`));
    if (content !== null) await writeTemporary(temporary, content, old ?? like ?? null, directory.heir);
    // A second name for the old file costs no space; where the file system has none, a copy does.
    if (old) await link(target, backup).catch(() => copyFile(target, backup));
    return {
      shown: path.shown,
      close,
      async make() {
        const now = await existing(target);
        if (read === null ? now !== null : !isSame(read, now)) {
          return refuse(`${path.shown}: was changed by something else in the meantime; read it again`);
        }
        await (content === null ? rm(target) : rename(temporary, target));
        return null;
      },
      async undo() {
        try {
          await (old ? rename(backup, target) : rm(target));
          return null;
        } catch (error) {
          backupIsNeeded = old !== null;
          const kept = old === null ? '' : `, its old content is in ${join(dirname(path.shown), basename(backup))}`;
          return `${path.shown} could not be put back (${messageOf(error)})${kept}`;
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
