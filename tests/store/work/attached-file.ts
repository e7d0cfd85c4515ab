/** Files that tests attach to work. */
import type { Queryable } from '../../../src/store/sql/database.ts';

/** A file as `submitWork` takes it. */
export function file(name: string, content: Buffer) {
  return { name, content };
}

/** Attaches a file by SQL. Returns the id of its artifact, or null for an item that was merged. */
export async function attach(db: Queryable, id: string, name: string, content: Buffer): Promise<string | null> {
  const [row] = await db.query<{ artifact: string | null }>('select animus.attach_file($1, $2, $3) as artifact', [
    id,
    name,
    content,
  ]);
  return row!.artifact;
}

/** The params of a work item. */
export async function paramsOf(db: Queryable, id: string): Promise<Record<string, unknown>> {
  const [row] = await db.query<{ params: Record<string, unknown> }>(
    'select params from animus.work_items where id = $1',
    [id],
  );
  return row!.params;
}
