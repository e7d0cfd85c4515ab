/** Records which sets of function files have been replaced, so that a restarted daemon of an older version does not restore one. */
import { createHash } from 'node:crypto';
import type { Queryable } from '../sql/database.ts';

type FunctionFiles = readonly { readonly name: string; readonly checksum: string }[];

/** True when a later set has replaced this one. */
export async function wasReplaced(tx: Queryable, files: FunctionFiles): Promise<boolean> {
  const rows = await tx.query('select from animus.schema_functions_replaced where checksum = $1', [checksumOf(files)]);
  return rows.length > 0;
}

/** Records that `next` replaces `before`. */
export async function noteReplaced(tx: Queryable, before: FunctionFiles, next: FunctionFiles): Promise<void> {
  await tx.query('delete from animus.schema_functions_replaced where checksum = $1', [checksumOf(next)]);
  if (before.length === 0) return;
  await tx.query('insert into animus.schema_functions_replaced (checksum) values ($1) on conflict do nothing', [
    checksumOf(before),
  ]);
}

/** The checksum of the whole set. */
function checksumOf(files: FunctionFiles): string {
  const lines = files.map(({ name, checksum }) => `${name} ${checksum}\n`).toSorted();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
