/** Collects the files that code leaves in `out/`, within limits. */
import type { SandboxFile } from '../sandbox.ts';

/** Limits of an execution; the runner keeps them, too. */
export const MAX_FILES = 20;
export const MAX_FILE_BYTES = 10 * 2 ** 20;
const MAX_FILES_BYTES = 32 * 2 ** 20;
const MAX_NAME_BYTES = 255;

/** The files of one execution. */
export interface LeftFiles {
  /** Takes a file, or says why not. */
  add(name: string, base64: string): string | null;
  readonly files: readonly SandboxFile[];
}

/** Starts with none. Names are single components of a path: the code chooses them. */
export function leftFiles(): LeftFiles {
  const files: SandboxFile[] = [];
  let total = 0;
  return {
    files,
    add(name, base64) {
      const bytes = Buffer.from(base64, 'base64');
      if (!isPlainName(name)) return 'a file in out/ has an invalid name';
      if (files.some((file) => file.name === name)) return `out/${name} was sent twice`;
      if (files.length === MAX_FILES) return `more than ${MAX_FILES} files in out/`;
      if (bytes.length > MAX_FILE_BYTES) return `out/${name} has more than ${MAX_FILE_BYTES} bytes`;
      total += bytes.length;
      if (total > MAX_FILES_BYTES) return `the files in out/ have more than ${MAX_FILES_BYTES} bytes`;
      files.push({ name, bytes });
      return null;
    },
  };
}

function isPlainName(name: string): boolean {
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES &&
    !/[/\\\p{Cc}]/u.test(name)
  );
}
