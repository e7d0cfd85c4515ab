/** Files that are given to `--attach`. */
import { basename, resolve } from 'node:path';
import { messageOf, usageError } from '../../core/errors/errors.ts';
import { readRegularFile } from '../../core/files/regular-file.ts';
import type { NewAttachment } from '../../store/work/submit-work.ts';

/** The limit of `animus.attach_file`, so that nothing larger is read. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Reads a file that comes with work. Errors: `usage.invalid`. */
export function attachment(file: string, cwd: string): NewAttachment {
  try {
    return { name: basename(file), content: readRegularFile(resolve(cwd, file), { maxBytes: MAX_FILE_BYTES }) };
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const detail = `cannot attach ${file}: ${absent ? 'there is no such file' : messageOf(error)}`;
    throw usageError(detail, error);
  }
}
