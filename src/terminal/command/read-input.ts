/** Text from standard input, for arguments that are `-`. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { usageError } from '../../core/errors/errors.ts';

/** The whole input without white space at its end. Errors: `usage.invalid` where it is not text (UTF-8 without NUL), or has no words. */
export async function readInput(stdin: Readable): Promise<string> {
  const text = await readAnyInput(stdin);
  if (text.trim() === '') throw usageError('standard input is empty; expected a text');
  return text.trimEnd();
}

/** The same as it is, also where it is empty. */
export async function readAnyInput(stdin: Readable): Promise<string> {
  const bytes = await buffer(stdin);
  const text = decoded(bytes);
  if (text === null) throw usageError('standard input is not text in UTF-8');
  if (text.includes('\0'))
    throw usageError(`standard input has a NUL byte, at byte ${bytes.indexOf(0)}: it is not text`);
  return text;
}

function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
