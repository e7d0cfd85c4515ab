/** Reads which skills work has used, for the CLI. Rows keep the names of their columns, as in work-views.ts. */
import type { Queryable } from '../sql/database.ts';
import { readValue, readValues } from '../sql/read-value.ts';

/** A skill that a focus of an item has activated. */
export interface UsedSkill {
  readonly skill: string;
  /** As its author wrote it; null: none. */
  readonly version: string | null;
  readonly content_hash: string;
  /** `item`, `auto`, `dependency` or `model`. */
  readonly reason: string;
  /** The number of the focus; null: it is deleted. */
  readonly focus: number | null;
  readonly activated_at: Date;
}

/** In the order of their activation. */
export async function readUsedSkills(db: Queryable, workItemId: string): Promise<UsedSkill[]> {
  return db.query<UsedSkill>(
    `select a.skill, a.version, a.content_hash, a.reason, f.number as focus, a.activated_at
       from animus.skill_activations a left join animus.foci f on f.id = a.focus_id
      where a.work_item_id = $1::uuid order by a.activated_at, a.skill`,
    [workItemId],
  );
}

/** The names of the skills that daemons have, with similar ones for a message; null for a role that may not see them, or if none was reported. */
export async function reportedSkills(db: Queryable): Promise<ReadonlySet<string> | null> {
  if (!(await readValue<boolean>(db, `select has_table_privilege('animus.skill_names', 'select')`))) return null;
  const names = await readValues<string>(db, 'select distinct name from animus.skill_names');
  return names.length === 0 ? null : new Set(names);
}
