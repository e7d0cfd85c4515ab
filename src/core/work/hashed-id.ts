/** Ids that are made from what they name, so that the same thing is stored once. */
import { createHash } from 'node:crypto';

/** A UUID version 8 from the SHA-256 of the parts together; a part that may have any content comes last. */
export function hashedId(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  const hex = hash.digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
