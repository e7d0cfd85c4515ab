/** Skills as they were when a focus used them, or when work wrote them: stored once under their content hash (functions/skills/packages.sql). */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';

/** A file of a skill: a path relative to its directory, with `/` between its parts. */
export interface PackageFile {
  readonly path: string;
  readonly content: Buffer;
}

/** Whether a package is stored; if so, retention keeps it for now. */
async function keepSkillPackage(db: Queryable, hash: string): Promise<boolean> {
  return readValue<boolean>(db, 'select animus.keep_skill_package($1)', [hash]);
}

/**
 * Stores all files of a skill, if they are not stored yet. `files` is called only then, and returns exactly those that have this content hash.
 * Idempotent. Errors: `work.invalid` for more than 500 files or 8 MiB.
 */
export async function storeSkillPackage(
  db: Queryable,
  { hash, name }: { readonly hash: string; readonly name: string },
  files: () => Promise<readonly PackageFile[]>,
): Promise<void> {
  if (await keepSkillPackage(db, hash)) return;
  const contents = (await files()).map(({ path, content }) => [path, content.toString('base64')] as const);
  await db.query('select animus.store_skill_package($1, $2, $3::jsonb)', [
    hash,
    toText(name),
    toJsonb(Object.fromEntries(contents)),
  ]);
}

/** All files of a package, in the order of their paths; empty if it is not stored. */
export async function readPackage(db: Queryable, hash: string): Promise<readonly PackageFile[]> {
  const rows = await db.query<{ path: string; content: Buffer }>(
    'select path, content from animus.skill_files where content_hash = $1 order by path collate "C"',
    [hash],
  );
  return rows.map(({ path, content }) => ({ path, content: Buffer.from(content) }));
}
