/** How skills were used and what became of the work. Deleted work is counted. */
import { type RowOf, row } from '../../operations/row.ts';
import type { Queryable } from '../../store/sql/database.ts';

/** Ended work: completed and dead. */
const outcomes = row((s) =>
  s.z
    .object({
      items: s.z.int(),
      completed: s.z.int(),
      cost_usd: s.z.number().nullable().describe('null: the cost of no call is known'),
      unpriced_calls: s.z.number().describe('calls whose cost is not known, which the sum does not include'),
      turns: s.z.int(),
    })
    .meta({ id: 'SkillOutcomes' }),
);
export type SkillOutcomes = RowOf<typeof outcomes>;

export const skillUse = row((s) =>
  s.z.object({
    skill: s.z.string(),
    activations: s.z.int(),
    last_used_at: s.time().nullable(),
    with_it: outcomes(s),
    without: outcomes(s).describe('other work of the same faculties since the skill was first used there'),
  }),
);
export type SkillUse = RowOf<typeof skillUse>;

/** Skills that were used since then, the most used first. Errors: `db.forbidden` for those who do not see all work. */
export async function skillStats(db: Queryable, since: Date, skill?: string): Promise<SkillUse[]> {
  return db.query<SkillUse>(
    `select skill, activations::int, last_used_at,
            json_build_object('items', items, 'completed', completed, 'cost_usd', case when unpriced_calls > 0 then nullif(cost_usd, 0) else cost_usd end,
              'unpriced_calls', unpriced_calls, 'turns', turns) as with_it,
            json_build_object('items', other_items, 'completed', other_completed,
              'cost_usd', case when other_unpriced_calls > 0 then nullif(other_cost_usd, 0) else other_cost_usd end,
              'unpriced_calls', other_unpriced_calls, 'turns', other_turns) as without
       from animus.visible_skill_stats($1, $2)`,
    [since, skill ?? null],
  );
}

/** A skill that a daemon has and nobody used. */
export const staleSkill = row((s) =>
  s.z.object({
    name: s.z.string(),
    origin: s.z.enum(['person', 'agent']),
    last_used_at: s.time().nullable(),
    first_seen_at: s.time(),
  }),
);
export type StaleSkill = RowOf<typeof staleSkill>;

/**
 * Skills that daemons have and that nobody has used for so many days (default: what a daemon has reported last), those unused for longest first. Errors:
 * `db.forbidden` for those who do not see all work.
 */
export async function staleSkills(db: Queryable, days?: number): Promise<StaleSkill[]> {
  return db.query<StaleSkill>(
    'select skill as name, origin, last_used_at, first_seen_at from animus.visible_stale_skills($1)',
    [days ?? null],
  );
}
