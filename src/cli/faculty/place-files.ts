/** Copies files from one directory into another: all of them, or, where others are there, none. */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AnimusError, fileFault } from '../../core/errors/errors.ts';

export interface Placed {
  /** Relative to both directories. */
  readonly path: string;
  /** `unchanged`: the same content was there. */
  readonly result: 'written' | 'replaced' | 'unchanged';
}

/**
 * Copies the files at these paths. A file with other content stays, and nothing is written, unless `force`. Programs stay programs; what is
 * copied may be changed by its owner, also where the package is read-only. Errors: `faculty.exists`; `faculty.unwritable`: the files before
 * it are written, and the same call completes the rest.
 */
export function placeFiles(from: string, to: string, paths: readonly string[], force: boolean): readonly Placed[] {
  const planned = paths.map((path) => ({ path, result: comparison(join(from, path), join(to, path)) }));
  const others = planned.filter(({ result }) => result === 'replaced');
  if (others.length > 0 && !force) {
    const [first = '', ...more] = others.map(({ path }) => join(to, path));
    const files = more.length === 0 ? first : `each of ${[first, ...more].join(', ')}`;
    throw new AnimusError('faculty.exists', { files });
  }
  for (const { path, result } of planned) if (result !== 'unchanged') copy(join(from, path), join(to, path));
  return planned;
}

function comparison(source: string, target: string): Placed['result'] {
  const there = statSync(target, { throwIfNoEntry: false });
  if (there === undefined) return 'written';
  return there.isFile() && readFileSync(target).equals(readFileSync(source)) ? 'unchanged' : 'replaced';
}

/** Through a file beside it, so that a daemon that reads it meanwhile sees the old content or the new one. */
function copy(source: string, target: string): void {
  const fresh = join(dirname(target), `.animus-${randomUUID()}`);
  try {
    mkdirSync(dirname(target), { recursive: true });
    const isProgram = (statSync(source).mode & 0o111) !== 0;
    writeFileSync(fresh, readFileSync(source), { flag: 'wx' });
    chmodSync(fresh, isProgram ? 0o755 : 0o644);
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw new AnimusError('faculty.unwritable', { file: target, detail: fileFault(error) }, { cause: error });
  }
}
