/** The skills that work has written, as daemons need them to write files, and those that daemons have. */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';

/** A skill with a version that is or was current. */
export interface WrittenSkill {
  readonly name: string;
  /** Null: it was archived. */
  readonly current: { readonly version: number; readonly hash: string } | null;
  /** The content hash of every version: files that have one of them were written by a daemon, and nobody has edited them. */
  readonly hashes: readonly string[];
}

/** All of them, by name. */
export async function readWrittenSkills(db: Queryable): Promise<readonly WrittenSkill[]> {
  const rows = await db.query<{ name: string; version: number | null; hash: string | null; hashes: string[] }>(
    `select name, max(version) filter (where state = 'current') as version, max(content_hash) filter (where state = 'current') as hash,
            array_agg(content_hash order by version) as hashes
       from animus.skill_versions group by name having bool_or(current_from is not null) order by name`,
  );
  return rows.map(({ name, version, hash, hashes }) => ({
    name,
    current: version === null || hash === null ? null : { version, hash },
    hashes,
  }));
}

/** A skill that a daemon has. */
export interface ReportedSkill {
  readonly name: string;
  readonly origin: 'person' | 'agent';
  readonly hash: string;
}

/** Records what a daemon has found at a place, a host with its directories, in place of what was reported of it before. `staleDays`: after how many days without use a skill is stale. */
export async function reportSkills(
  db: Queryable,
  place: string,
  skills: readonly ReportedSkill[],
  staleDays = 30,
): Promise<void> {
  await db.query('select animus.report_skills($1, $2::jsonb, $3)', [toText(place), toJsonb(skills), staleDays]);
}
