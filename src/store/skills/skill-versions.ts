/** Skills that work writes: their versions in rows (29_skills_written.sql). */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';

export type SkillVersionState = 'proposed' | 'current' | 'replaced' | 'rejected' | 'archived';

/** For people: `versions 3 (current), 2 (rejected)`; the first 20 of those that are given. */
export function versionsText(
  versions: readonly { readonly version: number; readonly state: SkillVersionState }[],
): string {
  const texts = versions.slice(0, 20).map(({ version, state }) => `${version} (${state})`);
  return `versions ${texts.join(', ')}`;
}

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
  const [row] = await db.query<NextVersion & { readonly [column: string]: unknown }>(
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
  const [row] = await db.query<{ state: SkillVersionState }>(
    'select animus.create_skill($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11) as state',
    [writer.workItemId, writer.leaseToken, skill.name, skill.version, ...stored(writer, skill)],
  );
  return row!.state;
}

/** Stores a new version that was made from version `base`. Errors: as `createSkill`; `work.state` if another version is current by now. */
export async function updateSkill(
  db: Queryable,
  writer: SkillWriter,
  skill: NewSkillVersion & { readonly base: number },
): Promise<SkillVersionState> {
  const [row] = await db.query<{ state: SkillVersionState }>(
    'select animus.update_skill($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10, $11, $12) as state',
    [writer.workItemId, writer.leaseToken, skill.name, skill.version, skill.base, ...stored(writer, skill)],
  );
  return row!.state;
}

/** A version, as it is shown and as others are made from it. */
export interface SkillVersion {
  readonly name: string;
  readonly version: number;
  readonly state: SkillVersionState;
  readonly base: number | null;
  readonly hash: string;
  readonly description: string;
  readonly note: string;
  readonly workItemId: string | null;
  readonly faculty: string | null;
  readonly focusId: string | null;
  readonly submittedBy: string | null;
  readonly createdAt: Date;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  readonly decisionNote: string;
  readonly currentFrom: Date | null;
  readonly currentUntil: Date | null;
}

const COLUMNS = `name, version, state, base, content_hash as hash, description, note, work_item_id as "workItemId", faculty, focus_id as "focusId",
  submitted_by as "submittedBy", created_at as "createdAt", decided_by as "decidedBy", decided_at as "decidedAt", decision_note as "decisionNote",
  current_from as "currentFrom", current_until as "currentUntil"`;

/** One version; null if there is none. */
export async function readSkillVersion(db: Queryable, name: string, version: number): Promise<SkillVersion | null> {
  const [row] = await db.query<SkillVersion & Row>(
    `select ${COLUMNS} from animus.skill_versions where name = $1 and version = $2`,
    [toText(name), version],
  );
  return row ?? null;
}

/** All versions of a skill, the newest first, at most 1,000. */
export async function readSkillVersions(db: Queryable, name: string): Promise<readonly SkillVersion[]> {
  return db.query<SkillVersion & Row>(
    `select ${COLUMNS} from animus.skill_versions where name = $1 order by version desc limit 1000`,
    [toText(name)],
  );
}

/** Whether the hook of a focus has written a version of a skill: it may run again. */
export async function hookHasWritten(db: Queryable, focusId: string, name: string): Promise<boolean> {
  const rows = await db.query(
    'select from animus.skill_versions where name = $1 and focus_id = $2 and call_id is null limit 1',
    [toText(name), focusId],
  );
  return rows.length > 0;
}

type Row = { readonly [column: string]: unknown };

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
