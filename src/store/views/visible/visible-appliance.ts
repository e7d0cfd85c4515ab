/** Which faculties running daemons serve, as the actor may see it. */
import type { Queryable } from '../../sql/database.ts';
import { readValues } from '../../sql/read-value.ts';

/** What a faculty needs that runs code; null if no running daemon serves it. */
export async function readVisibleFaculty(
  tx: Queryable,
  name: string,
): Promise<{ readonly mode: string; readonly able: number; readonly problem: string | null } | null> {
  const [faculty] = await tx.query<{ mode: string; able: number; problem: string | null }>(
    'select mode, able, problem from animus.visible_faculties where name = $1',
    [name],
  );
  return faculty ?? null;
}

/** The names of the faculties that running daemons serve. */
export async function readServedNames(tx: Queryable): Promise<readonly string[]> {
  return readValues<string>(tx, 'select name from animus.visible_faculties order by name');
}
