/** Skills that work writes: their versions in rows (functions/skills/written.sql). */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';

export type SkillVersionState = 'proposed' | 'current' | 'replaced' | 'rejected' | 'archived';

/** Who writes: the lease holder of an item; in a call of its focus, or (without) in a hook. */
export interface SkillWriter {
  readonly workItemId: string;
  readonly leaseToken: string;
  readonly focusId: string | null;
  readonly callId: string | null;
}

/** A locked skill: what its next version is numbered, and what it has. */
export interface NextVersion {
  readonly next: number;
  readonly current: number | null;
  readonly proposed: number | null;
  /** The work item that proposed it. */
  readonly proposedBy: string | null;
}

/** An entry of a ledger that a version comes from. */
export interface SkillSource {
  readonly workItemId: string;
  readonly seq: number;
  /** The words of the skill that it supports; null: all of it. */
  readonly supports: string | null;
}

/** A version to store. Its package is stored in the same transaction. */
export interface NewSkillVersion {
  readonly name: string;
  /** The number that `beginSkillVersion` returned. */
  readonly version: number;
  readonly hash: string;
  readonly description: string;
  /** What the model says about the change. */
  readonly note: string;
  /** At most 50. */
  readonly sources: readonly SkillSource[];
  /** `auto`: current at once, if the submitter of the item may see all work; otherwise an operator decides, as with `ask`. */
  readonly mode: 'auto' | 'ask';
}

/** Locks a skill until the end of the transaction. Errors: `work.lease_lost`, `work.locked`, `work.invalid` for a name that cannot be one. */
export async function beginSkillVersion(db: Queryable, writer: SkillWriter, name: string): Promise<NextVersion> {
  const [row] = await db.query<NextVersion>(
    'select next, current, proposed, proposed_by as "proposedBy" from animus.begin_skill_version($1, $2, $3)',
    [writer.workItemId, writer.leaseToken, toText(name)],
  );
  return row!;
}

/** Stores the first version of a skill. Errors: `work.state` if it exists or another proposal waits, `work.invalid` for a source that the submitter may not see. */
export async function createSkill(
  db: Queryable,
  writer: SkillWriter,
  skill: NewSkillVersion,
): Promise<SkillVersionState> {
  return readValue<SkillVersionState>(
    db,
    'select animus.create_skill($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11)',
    [writer.workItemId, writer.leaseToken, skill.name, skill.version, ...stored(writer, skill)],
  );
}

/** Stores a new version that was made from version `base`. Errors: as `createSkill`; `work.state` if another version is current by now. */
export async function updateSkill(
  db: Queryable,
  writer: SkillWriter,
  skill: NewSkillVersion & { readonly base: number },
): Promise<SkillVersionState> {
  return readValue<SkillVersionState>(
    db,
    'select animus.update_skill($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10, $11, $12)',
    [writer.workItemId, writer.leaseToken, skill.name, skill.version, skill.base, ...stored(writer, skill)],
  );
}

/** The content hash of a version; null if there is none. */
export async function hashOfVersion(db: Queryable, name: string, version: number): Promise<string | null> {
  const [row] = await db.query<{ hash: string }>(
    'select content_hash as hash from animus.skill_versions where name = $1 and version = $2',
    [toText(name), version],
  );
  return row?.hash ?? null;
}

/** Whether the hook of a focus has written a version of a skill: it may run again. */
export async function hookHasWritten(db: Queryable, focusId: string, name: string): Promise<boolean> {
  const rows = await db.query(
    'select from animus.skill_versions where name = $1 and focus_id = $2 and call_id is null limit 1',
    [toText(name), focusId],
  );
  return rows.length > 0;
}

function stored(writer: SkillWriter, skill: NewSkillVersion): readonly unknown[] {
  const sources = skill.sources.map(({ workItemId, seq, supports }) => ({ work_item_id: workItemId, seq, supports }));
  return [
    skill.hash,
    toText(skill.description),
    toText(skill.note),
    toJsonb(sources),
    skill.mode,
    writer.focusId,
    writer.callId,
  ];
}
