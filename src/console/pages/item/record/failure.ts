/** How work failed, from what is recorded as its error. */

export interface Failure {
  readonly code: string | null;
  readonly message: string;
  /** In which phase; null: in none. */
  readonly phase: string | null;
  /** The whole error, if it says more. */
  readonly more: unknown;
}

/** Null: there is no error. */
export function failureOf(error: unknown): Failure | null {
  if (error === null || error === undefined) return null;
  if (typeof error === 'string') return { code: null, message: error, phase: null, more: null };
  if (typeof error !== 'object') return { code: null, message: JSON.stringify(error), phase: null, more: null };
  const { code, message, phase, ...more } = error as Readonly<Record<string, unknown>>;
  return {
    code: textOf(code),
    message: textOf(message) ?? JSON.stringify(error),
    phase: textOf(phase),
    more: Object.keys(more).length === 0 ? null : more,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** What an outcome says: its text, and its result if it has a form. */
export function outcomeOf(outcome: unknown): { readonly text: string | null; readonly rest: unknown } {
  if (outcome === null || outcome === undefined) return { text: null, rest: null };
  if (typeof outcome === 'string') return { text: outcome, rest: null };
  if (typeof outcome !== 'object' || Array.isArray(outcome)) return { text: null, rest: outcome };
  const { text, ...rest } = outcome as Readonly<Record<string, unknown>>;
  if (typeof text !== 'string') return { text: null, rest: outcome };
  return { text, rest: Object.keys(rest).length === 0 ? null : rest };
}
