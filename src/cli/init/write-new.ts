/** Writes files that do not exist yet. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, usageError } from '../../core/errors/errors.ts';

export interface NewFile {
  /** Relative to the project's directory, with slashes. */
  readonly path: string;
  readonly content: string;
}

export interface Written {
  readonly path: string;
  /** True: a file (or a link, or anything else) of that name existed and was not changed. */
  readonly kept: boolean;
}

/** Errors: `usage.invalid` if the file cannot be written. */
export function writeNew(directory: string, { path, content }: NewFile): Written {
  const file = join(directory, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { flag: 'wx' });
    return { path, kept: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return { path, kept: true };
    const detail = `${file} cannot be written: ${messageOf(error)}`;
    throw usageError(detail, error);
  }
}
