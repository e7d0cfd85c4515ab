/** Writes files that are not there yet. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AnimusError, messageOf } from '../../core/errors/errors.ts';

export interface NewFile {
  /** Below the project's directory, with slashes. */
  readonly path: string;
  readonly content: string;
}

export interface Written {
  readonly path: string;
  /** There was a file (or a link, or anything else) of that name, and it is as it was. */
  readonly kept: boolean;
}

/** Errors: `usage.invalid` where the file cannot be written. */
export function writeNew(directory: string, { path, content }: NewFile): Written {
  const file = join(directory, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { flag: 'wx' });
    return { path, kept: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return { path, kept: true };
    throw new AnimusError(
      'usage.invalid',
      { detail: `${file} cannot be written: ${messageOf(error)}` },
      { cause: error },
    );
  }
}
