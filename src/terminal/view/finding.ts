/** The findings of the doctor's checks. */
import type { ErrorCode } from '../../core/errors/error-table.ts';
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import { isMissingObject } from '../../store/sql/database-errors.ts';

/** `note`: animus works, but without something that is recommended. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'note' | 'problem';
  readonly detail: string;
  /** The remedy; null when the detail has it or none is needed. */
  readonly remedy: string | null;
}

/** All is well. */
export function fine(check: string, detail: string): Finding {
  return { check, state: 'ok', detail, remedy: null };
}

/** Something does not work. */
export function problem(check: string, detail: string, remedy: string | null = null): Finding {
  return { check, state: 'problem', detail, remedy };
}

/** Something could be better. */
export function note(check: string, detail: string, remedy: string | null = null): Finding {
  return { check, state: 'note', detail, remedy };
}

/**
 * The findings of `look`. An AnimusError becomes a finding, and an error of the database, where something is missing; bugs and interruptions are rethrown.
 * `needsNoRight`: whether this login need not have the rights that are asked for here.
 */
export async function findingsOf(
  check: string,
  look: () => Promise<readonly Finding[]>,
  needsNoRight?: () => Promise<boolean>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (isAnimusError(error, 'db.forbidden') && (await needsNoRight?.())) return [note(check, NOT_FOR_APPLICATIONS)];
    if (error instanceof AnimusError && !UNEXPECTED.has(error.code)) return [problem(check, error.message)];
    if (isMissingObject(error)) {
      const detail = `could not be checked, because something is missing in the database: ${messageOf(error)}`;
      return [problem(check, detail, MISSING)];
    }
    throw error;
  }
}

const NOT_FOR_APPLICATIONS =
  'not checked: the login of an application may not read this and need not; also run animus doctor with the login of the daemon or the owner';

const MISSING =
  'run: animus db migrate, if the schema is older than this version of animus, otherwise: animus doctor --deep';

const UNEXPECTED: ReadonlySet<ErrorCode> = new Set(['interrupted', 'internal.bug']);
