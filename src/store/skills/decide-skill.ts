/** Decisions of operators about skills that work has written (29_skills_decided.sql). Each returns the number of the version. */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';
import type { PackageFile } from './packages.ts';

/** A decision: `hash`, the content hash of what was shown; without it, whatever waits is decided. */
export interface SkillDecision {
  readonly name: string;
  readonly note: string;
  readonly hash?: string;
}

/** Makes the proposed version current. Errors: `work.state` if none waits, another one does, or its base was replaced; `work.not_found`. */
export async function approveSkill(db: Queryable, decision: SkillDecision): Promise<number> {
  return decided(db, 'select animus.approve_skill($1, $2, $3) as version', decision);
}

/** Rejects the proposed version. Errors: as `approveSkill`. */
export async function denySkill(db: Queryable, decision: SkillDecision): Promise<number> {
  return decided(db, 'select animus.deny_skill($1, $2, $3) as version', decision);
}

/** Ends the current version, so that daemons delete the files that they have written of it. Errors: `work.state`, `work.not_found`. */
export async function archiveSkill(
  db: Queryable,
  { name, note }: { readonly name: string; readonly note: string },
): Promise<number> {
  const [row] = await db.query<{ version: number }>('select animus.archive_skill($1, $2) as version', [
    toText(name),
    toText(note),
  ]);
  return row!.version;
}

/**
 * Makes an earlier version current again, as a new version with its files; without a number, the one that was current before. Errors: `work.state` for one that
 * was never current, or whose files are current; `work.not_found`.
 */
export async function rollBackSkill(
  db: Queryable,
  { name, to, note }: { readonly name: string; readonly to?: number | undefined; readonly note: string },
): Promise<number> {
  const [row] = await db.query<{ version: number }>('select animus.rollback_skill($1, $2, $3) as version', [
    toText(name),
    to ?? null,
    toText(note),
  ]);
  return row!.version;
}

/** What an operator hands to the agents. */
export interface AdoptedSkill {
  readonly name: string;
  readonly description: string;
  readonly note: string;
  readonly files: readonly PackageFile[];
}

/**
 * Makes files that a person has written the current version of a skill, so that work may update it. Errors: `work.state` if a version has exactly these
 * files, `work.invalid` for a name that work may not use and for files that are too large.
 */
export async function adoptSkill(db: Queryable, { name, description, note, files }: AdoptedSkill): Promise<number> {
  const [row] = await db.query<{ version: number }>('select animus.adopt_skill($1, $2, $3::jsonb, $4) as version', [
    toText(name),
    toText(description),
    toJsonb(Object.fromEntries(files.map(({ path, content }) => [path, content.toString('base64')]))),
    toText(note),
  ]);
  return row!.version;
}

async function decided(db: Queryable, sql: string, { name, note, hash }: SkillDecision): Promise<number> {
  const [row] = await db.query<{ version: number }>(sql, [toText(name), toText(note), hash ?? null]);
  return row!.version;
}
