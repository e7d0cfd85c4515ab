/** What concerns no single item, as the actor may see it: faculties, pauses, status. */
import type { Queryable } from '../../sql/database.ts';
import { requireSeesAll } from './visible-operated.ts';

export interface VisibleFaculty {
  readonly name: string;
  readonly daemons: number;
  /** Null for who may not see all work. */
  readonly hosts: readonly string[] | null;
  /** `builtin`, `external` or `code`. */
  readonly mode: string;
  /** How many of its daemons can start its containers, as far as they know; all, if it needs none. */
  readonly able: number;
  /** Why one cannot; null for who may not see all work. */
  readonly problem: string | null;
  /** What it is for; empty: its file does not say. */
  readonly description: string;
  /** The JSON Schema of the params of its work; null: any object. */
  readonly params_schema: Readonly<Record<string, unknown>> | null;
  /** The JSON Schema of its outcomes; null: a text. */
  readonly outcome_schema: Readonly<Record<string, unknown>> | null;
}

/** The faculties that running daemons serve, by name. */
export async function readVisibleFaculties(tx: Queryable): Promise<VisibleFaculty[]> {
  return tx.query<VisibleFaculty>(
    `select name, daemons, hosts, mode, able, problem, description, params_schema, outcome_schema
       from animus.visible_faculties order by name`,
  );
}

/** The names of the faculties that running daemons serve. */
export async function readServedNames(tx: Queryable): Promise<readonly string[]> {
  const rows = await tx.query<{ name: string }>('select name from animus.visible_faculties order by name');
  return rows.map(({ name }) => name);
}

/** One of them; null if no running daemon serves it. */
export async function readVisibleFaculty(tx: Queryable, name: string): Promise<VisibleFaculty | null> {
  const [faculty] = await tx.query<VisibleFaculty>(
    `select name, daemons, hosts, mode, able, problem, description, params_schema, outcome_schema
       from animus.visible_faculties where name = $1`,
    [name],
  );
  return faculty ?? null;
}

/** How a running daemon serves a faculty. */
export interface VisibleFacultySettings {
  readonly version: string;
  /** Null for who may not see all work. */
  readonly host: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** How each running daemon serves this faculty, by host; none: nobody serves it. */
export async function readFacultySettings(tx: Queryable, name: string): Promise<VisibleFacultySettings[]> {
  return tx.query<VisibleFacultySettings>(
    'select version, host, settings from animus.visible_faculty_settings where name = $1 order by host, version limit 1000',
    [name],
  );
}

export interface VisiblePause {
  /** `*`: all. */
  readonly faculty: string;
  readonly reason: string;
  readonly paused_by: string;
  readonly until: Date | null;
  readonly created_at: Date;
}

/** The pauses that are in force. Errors: `db.forbidden` for who may not see all work. */
export async function readVisiblePauses(tx: Queryable): Promise<VisiblePause[]> {
  await requireSeesAll(tx);
  return tx.query<VisiblePause>(
    `select faculty, reason, paused_by, until, created_at from animus.visible_pauses
      where until is null or until > animus.now() order by faculty`,
  );
}

/** What `animus status` shows. Errors: `db.forbidden` for who may not see all work. */
export async function readVisibleStatus(tx: Queryable): Promise<Record<string, unknown>> {
  const [row] = await tx.query<{ status: Record<string, unknown> }>('select animus.visible_status() as status');
  return row!.status;
}
