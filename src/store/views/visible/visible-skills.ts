/** Skills that agents wrote, as the actor may see them. */

import type { SkillVersionState } from '../../skills/skill-versions.ts';
import type { Queryable } from '../../sql/database.ts';
import { toText } from '../../sql/json.ts';

/** A version. Rows keep the names of their columns. */
export interface VisibleVersion {
  readonly name: string;
  readonly version: number;
  readonly state: SkillVersionState;
  /** The version that it was made from. */
  readonly base: number | null;
  readonly description: string;
  readonly note: string;
  readonly content_hash: string;
  readonly faculty: string | null;
  readonly created_at: Date;
  readonly decided_by: string | null;
  readonly decided_at: Date | null;
  readonly decision_note: string | null;
  readonly work_item_id: string | null;
}

/** Versions of the skills that agents wrote: of one name, newest first, or the current ones of all. At most 1,000. */
export async function readVisibleVersions(tx: Queryable, name: string | null): Promise<VisibleVersion[]> {
  return tx.query<VisibleVersion>(
    `select name, version, state, base, description, note, content_hash, faculty, created_at, decided_by, decided_at, decision_note, work_item_id
       from animus.visible_skill_versions where case when $1::text is null then state = 'current' else name = $1 end
      order by name, version desc limit 1000`,
    [name === null ? null : toText(name)],
  );
}

/** The files of a version, in the order of their paths; none if it is not there, or the actor may not see it. */
export async function readVisibleFiles(
  tx: Queryable,
  name: string,
  version: number,
): Promise<readonly { readonly path: string; readonly content: Buffer }[]> {
  const rows = await tx.query<{ path: string; content: Uint8Array }>(
    `select path, content from animus.visible_skill_files where name = $1 and version = $2 order by path collate "C"`,
    [toText(name), version],
  );
  return rows.map(({ path, content }) => ({ path, content: Buffer.from(content) }));
}
