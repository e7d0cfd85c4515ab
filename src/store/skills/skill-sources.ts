/** Where the sentences of a written skill come from. */
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';

/** A ledger entry that a version came from, as it was then. */
export interface RecordedSource {
  readonly version: number;
  readonly workItemId: string | null;
  readonly seq: number | null;
  readonly faculty: string | null;
  readonly type: string | null;
  readonly content: string;
  /** The words of the skill that it supports; null: all of it. */
  readonly supports: string | null;
}

/** The sources of all versions of a skill, or of one, the newest version first. */
export async function readSkillSources(
  db: Queryable,
  name: string,
  version: number | null = null,
): Promise<readonly RecordedSource[]> {
  return db.query<RecordedSource & { readonly [column: string]: unknown }>(
    `select version, work_item_id as "workItemId", ledger_seq as seq, faculty, entry_type as type, content, supports
       from animus.skill_provenance where skill = $1 and ($2::int is null or version = $2) order by version desc, id`,
    [toText(name), version],
  );
}
