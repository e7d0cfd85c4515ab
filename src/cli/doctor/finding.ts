/** What a check of the doctor says. */
import { AnimusError, type ErrorCode } from '../../core/errors/errors.ts';

/** `note`: animus works, with less than it could have. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'note' | 'problem';
  readonly detail: string;
  /** What to do about it; null where the detail says it, or nothing is to be done. */
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

/** The findings of `look`; an error that has a name is one, a bug and an interruption are thrown on. */
export async function findingsOf(check: string, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof AnimusError && !UNEXPECTED.has(error.code)) return [problem(check, error.message)];
    throw error;
  }
}

const UNEXPECTED: ReadonlySet<ErrorCode> = new Set(['interrupted', 'internal.bug']);
