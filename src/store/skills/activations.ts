/** Which skills a focus has activated, and as what (functions/skills/packages.sql). */
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';

/** A skill that a focus activates. Its package is stored. */
export interface NewActivation {
  readonly name: string;
  /** As its author wrote it; null: it has none. */
  readonly version: string | null;
  /** The content hash of its package. */
  readonly hash: string;
  /** Why: such as `work item`, `keyword deploy`, `activate_skill`. */
  readonly reason: string;
}

export interface Activation extends NewActivation {
  readonly activatedAt: Date;
}

/** The focus that activates, fenced by its lease. */
interface ActivatingFocus {
  readonly focusId: string;
  readonly leaseToken: string;
}

/**
 * Records activations in the transaction that records what the model gets of the skills, and returns the names of those that the focus had not activated
 * before. Errors: `work.not_found` for a package that is not stored, `work.lease_lost`.
 */
export async function activateSkills(
  db: Queryable,
  { focusId, leaseToken }: ActivatingFocus,
  skills: readonly NewActivation[],
): Promise<readonly string[]> {
  if (skills.length === 0) return [];
  return readValue<string[]>(db, 'select animus.activate_skills($1, $2, $3::jsonb)', [
    focusId,
    leaseToken,
    toJsonb(skills),
  ]);
}

/** The skills that a focus has activated, or a focus that it goes on with, in the order of their activation; of each the newest activation. */
export async function activatedSkills(db: Queryable, focusId: string): Promise<readonly Activation[]> {
  return db.query<Activation>(
    `with recursive chain (id, continues) as (
       select id, continues from animus.foci where id = $1
       union all select f.id, f.continues from chain c join animus.foci f on f.id = c.continues)
     select name, version, hash, reason, "activatedAt" from (
       select distinct on (a.skill) a.skill as name, a.version, a.content_hash as hash, a.reason, a.activated_at as "activatedAt"
         from chain c join animus.skill_activations a on a.focus_id = c.id order by a.skill, a.activated_at desc) newest
      order by "activatedAt", name`,
    [focusId],
  );
}
