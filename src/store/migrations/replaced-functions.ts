/** Which sets of function files a database has left behind: a daemon of an earlier version that starts again must not bring one back. */
import { createHash } from 'node:crypto';
import type { Queryable } from '../sql/database.ts';

type FunctionFiles = readonly { readonly name: string; readonly checksum: string }[];

/** True where a later set has taken this one's place. */
export async function wasReplaced(tx: Queryable, files: FunctionFiles): Promise<boolean> {
  const rows = await tx.query('select from animus.schema_functions_replaced where checksum = $1', [checksumOf(files)]);
  return rows.length > 0;
}

/** Notes that `next` takes the place of `before`. */
export async function noteReplaced(tx: Queryable, before: FunctionFiles, next: FunctionFiles): Promise<void> {
  await tx.query('delete from animus.schema_functions_replaced where checksum = $1', [checksumOf(next)]);
  if (before.length === 0) return;
  await tx.query('insert into animus.schema_functions_replaced (checksum) values ($1) on conflict do nothing', [
    checksumOf(before),
  ]);
}

/** Of the whole set. */
function checksumOf(files: FunctionFiles): string {
  const lines = files.map(({ name, checksum }) => `${name} ${checksum}\n`).toSorted();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
