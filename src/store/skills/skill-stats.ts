/** How skills were used and what became of the work (29_skills_stats.sql). Deleted work is counted. */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';

/** Ended work: completed and dead. */
export interface OutcomeCounts {
  readonly items: number;
  readonly completed: number;
  /** USD, of all items together; null: the cost of no call is known. */
  readonly costUsd: number | null;
  /** Calls whose cost is not known; `costUsd` is without them. */
  readonly unpricedCalls: number;
  readonly turns: number;
}

export interface SkillUse {
  readonly skill: string;
  readonly activations: number;
  readonly lastUsedAt: Date | null;
  readonly withIt: OutcomeCounts;
  /** Items of the same faculties since the skill was first used there. */
  readonly without: OutcomeCounts;
}

/** A skill that a daemon has and nobody used. */
export interface StaleSkill {
  readonly skill: string;
  readonly origin: 'person' | 'agent';
  readonly lastUsedAt: Date | null;
  readonly firstSeenAt: Date;
}

/** A skill that a daemon has. */
export interface ReportedSkill {
  readonly name: string;
  readonly origin: 'person' | 'agent';
  readonly hash: string;
}

interface Row {
  readonly skill: string;
  readonly activations: number;
  readonly last_used_at: Date | null;
  readonly items: number;
  readonly completed: number;
  readonly cost_usd: number | null;
  readonly unpriced_calls: number;
  readonly turns: number;
  readonly other_items: number;
  readonly other_completed: number;
  readonly other_cost_usd: number | null;
  readonly other_unpriced_calls: number;
  readonly other_turns: number;
}

/** Skills that were used since then, the most used first. */
export async function skillStats(
  db: Queryable,
  since: Date,
  skill: string | null = null,
): Promise<readonly SkillUse[]> {
  return usesOf(await db.query<Row>(statsOf('skill_stats'), [since, skill]));
}

/** The same for those who see all work, in the transaction of a gateway. Errors: `db.forbidden`. */
export async function visibleSkillStats(
  tx: Queryable,
  since: Date,
  skill: string | null = null,
): Promise<readonly SkillUse[]> {
  return usesOf(await tx.query<Row>(statsOf('visible_skill_stats'), [since, skill]));
}

const statsOf = (view: 'skill_stats' | 'visible_skill_stats') =>
  `select skill, activations::int, last_used_at, items::int, completed::int, (case when unpriced_calls > 0 then nullif(cost_usd, 0) else cost_usd end)::float8 as cost_usd, turns::int, other_items::int,
          other_completed::int, (case when other_unpriced_calls > 0 then nullif(other_cost_usd, 0) else other_cost_usd end)::float8 as other_cost_usd, unpriced_calls::float8, other_unpriced_calls::float8, other_turns::int
     from animus.${view}($1, $2)`;

function usesOf(rows: readonly Row[]): readonly SkillUse[] {
  return rows.map((row) => ({
    skill: row.skill,
    activations: row.activations,
    lastUsedAt: row.last_used_at,
    withIt: {
      items: row.items,
      completed: row.completed,
      costUsd: row.cost_usd,
      unpricedCalls: row.unpriced_calls,
      turns: row.turns,
    },
    without: {
      items: row.other_items,
      completed: row.other_completed,
      costUsd: row.other_cost_usd,
      unpricedCalls: row.other_unpriced_calls,
      turns: row.other_turns,
    },
  }));
}

type Stale = StaleSkill & { readonly [column: string]: unknown };

/** Skills that daemons have and that nobody has used for so many days (default: what a daemon has reported last), those unused for longest first. */
export async function staleSkills(db: Queryable, days: number | null = null): Promise<readonly StaleSkill[]> {
  return db.query<Stale>(staleOf('stale_skills'), [days]);
}

/** The same for those who see all work, in the transaction of a gateway. Errors: `db.forbidden`. */
export async function visibleStaleSkills(tx: Queryable, days: number | null = null): Promise<readonly StaleSkill[]> {
  return tx.query<Stale>(staleOf('visible_stale_skills'), [days]);
}

const staleOf = (view: 'stale_skills' | 'visible_stale_skills') =>
  `select skill, origin, last_used_at as "lastUsedAt", first_seen_at as "firstSeenAt" from animus.${view}($1)`;

/** Records what a daemon has found at a place, a host with its directories, in place of what was reported of it before. `staleDays`: after how many days without use a skill is stale. */
export async function reportSkills(
  db: Queryable,
  place: string,
  skills: readonly ReportedSkill[],
  staleDays = 30,
): Promise<void> {
  await db.query('select animus.report_skills($1, $2::jsonb, $3)', [toText(place), toJsonb(skills), staleDays]);
}
