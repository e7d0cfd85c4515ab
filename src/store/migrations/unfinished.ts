/**
 * What a change of the schema still needs, in animus.settings: written by the step that makes it necessary, in its transaction, and removed by the step that
 * does it. So a process that is killed between two steps leaves it to the next one.
 */
import type { Queryable } from '../sql/database.ts';
import { readValue, readValues } from '../sql/read-value.ts';

/** `functions`: the function files, which also make the triggers of the queues, and then the rights of the roles; `roles`: these alone. */
type Rest = 'functions' | 'roles';

/** To be called under the migration lock. A later value replaces the one that is there. Before the first migration nothing is recorded, and all of it follows. */
export async function setUnfinished(tx: Queryable, rest: Rest): Promise<void> {
  if (!(await hasSettings(tx))) return;
  await tx.query(
    `insert into animus.settings (key, value) values ('unfinished', to_jsonb($1::text)) on conflict (key) do update set value = excluded.value`,
    [rest],
  );
}

/** Any role may ask; one that may not read the settings gets null, as before the first migration. */
export async function readUnfinished(db: Queryable): Promise<Rest | null> {
  if (!(await hasSettings(db))) return null;
  const [rest] = await readValues<Rest>(db, `select value #>> '{}' from animus.settings where key = 'unfinished'`);
  return rest ?? null;
}

/** After the last step, the roles. What is to be done before them stays. */
export async function setFinished(tx: Queryable): Promise<void> {
  await tx.query(`delete from animus.settings where key = 'unfinished' and value = '"roles"'`);
}

async function hasSettings(db: Queryable): Promise<boolean> {
  return readValue<boolean>(
    db,
    `select coalesce(has_table_privilege(to_regclass('animus.settings'), 'select'), false)`,
  );
}
