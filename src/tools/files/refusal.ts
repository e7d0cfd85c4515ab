import { type Boundary, refusedAt, type ToolOutput, toolError } from '../tool.ts';

/** Why a file operation was refused, as a message for the model. A value, because it is an expected outcome. */
export interface Refusal {
  readonly refusal: string;
  /** There if the operation would have crossed it. */
  readonly boundary?: Boundary;
}

/** Creates a refusal. */
export function refuse(refusal: string, boundary?: Boundary): Refusal {
  return boundary === undefined ? { refusal } : { refusal, boundary };
}

/** A refusal as the result of a call. */
export function refusedCall({ refusal, boundary }: Refusal): ToolOutput {
  return boundary === undefined ? toolError(refusal) : refusedAt(boundary, refusal);
}

/** True for a refusal. */
export function isRefusal<Value>(value: Value): value is Extract<Value, { readonly refusal: string }> {
  return typeof value === 'object' && value !== null && 'refusal' in value;
}

/** Describes a system error for the model. Other errors are a bug or a broken host, and are thrown again. */
export function refusalOf(error: unknown, path: string): Refusal {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const words = REASONS[code];
  if (words === undefined) throw error;
  return refuse(`${path}: ${words}`);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory; list_dir shows what exists',
  ENOTDIR: 'a part of the path is a file, not a directory',
  EISDIR: 'is a directory; use list_dir',
  EACCES: 'permission denied by the file system',
  EPERM: 'not permitted by the file system',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device; free some before you write again',
  EDQUOT: 'the disk quota is used up; free some space before you write again',
  EFBIG: 'too big for the file system',
  ELOOP: 'goes through a symbolic link that must not be followed, or through a loop of links',
  ENAMETOOLONG: 'the name is too long',
  EINVAL: 'the name is not valid here',
  EILSEQ: 'the name is not valid here',
  EMFILE: 'too many files are open; try again',
  ENFILE: 'too many files are open; try again',
  EIO: 'input/output error of the device',
  ENXIO: 'is a socket, or a device that does not exist',
  EBUSY: 'is in use',
  EEXIST: 'already exists',
};
