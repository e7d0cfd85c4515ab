/** Skills that work has written: the shapes of their rows, and thin calls of the SQL functions (docs/skills.md). */
import { AnimusError } from '../../core/errors/errors.ts';
import { type RowOf, row } from '../../operations/row.ts';
import type { PackageFile } from '../../store/skills/packages.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { toJsonb, toText } from '../../store/sql/json.ts';
import { readValue } from '../../store/sql/read-value.ts';

const allOfVersion = row((s) =>
  s.z.object({
    name: s.z.string(),
    version: s.z.int(),
    state: s.z.string(),
    base: s.z.int().nullable().describe('the version that it was made from'),
    description: s.z.string(),
    note: s.z.string(),
    content_hash: s.z.string(),
    faculty: s.z.string().nullable(),
    created_at: s.time(),
    decided_by: s.z.string().nullable(),
    decided_at: s.time().nullable(),
    decision_note: s.z.string().nullable(),
    work_item_id: s.id().nullable().describe('the work that wrote it, if one may see it'),
    focus_id: s.id().nullable(),
    submitted_by: s.z.string().nullable(),
    current_from: s.time().nullable(),
    current_until: s.time().nullable(),
  }),
);
export type SkillVersion = RowOf<typeof allOfVersion>;
/** As the API shows it. */
export const skillVersion = row((s) =>
  allOfVersion(s)
    .omit({ focus_id: true, submitted_by: true, current_from: true, current_until: true })
    .meta({ id: 'SkillVersion' }),
);

const COLUMNS = `name, version, state, base, description, note, content_hash, faculty, created_at, decided_by, decided_at, decision_note, work_item_id,
  focus_id, submitted_by, current_from, current_until`;

/** The current versions of all skills that the actor may see, by name; at most 1,000. */
export async function currentVersions(db: Queryable): Promise<SkillVersion[]> {
  return db.query<SkillVersion>(
    `select ${COLUMNS} from animus.visible_skill_versions where state = 'current' order by name limit 1000`,
  );
}

/** Those versions of a skill that the actor may see, the newest first, at most 1,000. Errors: `skill.unknown`. */
export async function versionsOf(db: Queryable, name: string): Promise<[SkillVersion, ...SkillVersion[]]> {
  const [newest, ...others] = await db.query<SkillVersion>(
    `select ${COLUMNS} from animus.visible_skill_versions where name = $1 order by version desc limit 1000`,
    [toText(name)],
  );
  if (newest !== undefined) return [newest, ...others];
  throw new AnimusError('skill.unknown', { name, hint: ': no work has written it' });
}

/** The version with this number; without one, the proposed version, else the current one, else the newest. Errors: `skill.unknown`. */
export function chosenOf(versions: [SkillVersion, ...SkillVersion[]], number: number | undefined): SkillVersion {
  const ofState = (state: string) => versions.find((each) => each.state === state);
  if (number === undefined) return ofState('proposed') ?? ofState('current') ?? versions[0];
  const found = versions.find(({ version }) => version === number);
  if (found !== undefined) return found;
  const has = versions.slice(0, 20).map(({ version, state }) => `${version} (${state})`);
  const name = `${versions[0].name}, version ${number}`;
  throw new AnimusError('skill.unknown', { name, hint: `; it has versions ${has.join(', ')}` });
}

/** The files of a version, in the order of their paths; none if it is not there, or the actor may not see it. */
export async function filesOf(db: Queryable, name: string, version: number): Promise<PackageFile[]> {
  const rows = await db.query<{ path: string; content: Uint8Array }>(
    `select path, content from animus.visible_skill_files where name = $1 and version = $2 order by path collate "C"`,
    [toText(name), version],
  );
  return rows.map(({ path, content }) => ({ path, content: Buffer.from(content) }));
}

/** A decision: `hash`, the content hash of what was shown; without it, whatever waits is decided. */
export interface SkillDecision {
  readonly name: string;
  readonly note: string;
  readonly hash?: string | undefined;
}

/**
 * Makes the proposed version current, and returns its number. Errors: `work.state` if none waits, another one does, or its base was replaced;
 * `work.not_found`.
 */
export async function approveSkill(db: Queryable, { name, note, hash }: SkillDecision): Promise<number> {
  return numberOf(db, 'select animus.approve_skill($1, $2, $3) as version', [name, note, hash ?? null]);
}

/** Rejects the proposed version, and returns its number. Errors: as `approveSkill`. */
export async function denySkill(db: Queryable, { name, note, hash }: SkillDecision): Promise<number> {
  return numberOf(db, 'select animus.deny_skill($1, $2, $3) as version', [name, note, hash ?? null]);
}

/** Ends the current version, so that daemons delete the files that they have written of it; returns its number. Errors: `work.state`, `work.not_found`. */
export async function archiveSkill(
  db: Queryable,
  { name, note }: { readonly name: string; readonly note: string },
): Promise<number> {
  return numberOf(db, 'select animus.archive_skill($1, $2) as version', [name, note]);
}

/**
 * Makes an earlier version current again, as a new version with its files, and returns the number of that; without a number, the one that was current
 * before. Errors: `work.state` for one that was never current, or whose files are current; `work.not_found`.
 */
export async function rollBackSkill(
  db: Queryable,
  { name, to, note }: { readonly name: string; readonly to?: number | undefined; readonly note: string },
): Promise<number> {
  return numberOf(db, 'select animus.rollback_skill($1, $3, $2) as version', [name, note, to ?? null]);
}

/** What an operator hands to the agents. */
export interface AdoptedSkill {
  readonly name: string;
  readonly description: string;
  readonly note: string;
  readonly files: readonly PackageFile[];
}

/**
 * Makes files that a person has written the current version of a skill, so that work may update it, and returns its number. Errors: `work.state` if a
 * version has exactly these files, `work.invalid` for a name that work may not use and for files that are too large.
 */
export async function adoptSkill(db: Queryable, { name, description, note, files }: AdoptedSkill): Promise<number> {
  const contents = toJsonb(Object.fromEntries(files.map(({ path, content }) => [path, content.toString('base64')])));
  const sql = 'select animus.adopt_skill($1, $3, $4::jsonb, $2) as version';
  return numberOf(db, sql, [name, note, toText(description), contents]);
}

/** The first two values are the name and the note. */
async function numberOf(
  db: Queryable,
  sql: string,
  [name, note, ...rest]: [string, string, ...unknown[]],
): Promise<number> {
  return readValue<number>(db, sql, [toText(name), toText(note), ...rest]);
}

/** A ledger entry that a version came from, as it was then. */
export interface RecordedSource {
  readonly version: number;
  readonly work_item_id: string | null;
  readonly seq: number | null;
  readonly faculty: string | null;
  readonly type: string | null;
  readonly content: string;
  /** The words of the skill that it supports; null: all of it. */
  readonly supports: string | null;
}

/** The sources of all versions of a skill, the newest version first. */
export async function sourcesOf(db: Queryable, name: string): Promise<RecordedSource[]> {
  return db.query<RecordedSource & { readonly [column: string]: unknown }>(
    `select version, work_item_id, ledger_seq as seq, faculty, entry_type as type, content, supports
       from animus.skill_provenance where skill = $1 order by version desc, id`,
    [toText(name)],
  );
}
