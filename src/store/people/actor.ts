/** Who acts on a connection. */
import type { Queryable } from '../sql/database.ts';

export interface Actor {
  /** The login, or `person:NAME`. */
  readonly name: string;
  /** Whether it may decide about what waits for a person. Each decision is checked again. */
  readonly decides: boolean;
}

export async function readActor(db: Queryable): Promise<Actor> {
  const [row] = await db.query<Actor>(
    `select animus.actor() as name, has_function_privilege('animus.approve(uuid, uuid, text, json, text)', 'execute') as decides`,
  );
  return row!;
}
