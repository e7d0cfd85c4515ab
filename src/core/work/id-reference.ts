/** What a person types to name something, such as a work item or a conversation: its id, or a part of it. */

/** A whole id, as it is printed. */
export const FULL_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** How to name a thing, for messages and help. */
export const ID_RULE = 'its id as lists show it, or at least 4 digits of its beginning or end';

export interface IdReference {
  /** The first and the last id that begin with the digits. */
  readonly from: string;
  readonly to: string;
  /** The first of the twelve digits that lists and branches show; null if more than twelve were given. */
  readonly start: string | null;
  /** The last digits of the id; null for a whole one, and where only a beginning is meant. */
  readonly ending: string | null;
}

/**
 * Reads an id or a part of it: at least 4 hex digits, in capitals or not, with dashes or without. Also reads the name of a branch
 * (`animus/c657ab12cd34`, also as git prints it: `refs/heads/…`, `origin/…`), and digits with `…` or `...` at their end. Null for anything else.
 */
export function readIdReference(text: string): IdReference | null {
  const given = text.trim().toLowerCase();
  const typed = given.replace(BRANCH, '').replace(CUT, '');
  const digits = typed.replaceAll('-', '');
  if (!/^[0-9a-f-]+$/.test(typed) || digits.length < 4 || digits.length > 32) return null;
  return {
    from: dashed(digits.padEnd(32, '0')),
    to: dashed(digits.padEnd(32, 'f')),
    start: digits.length <= 12 ? digits : null,
    // What follows a branch's `animus/`, or is followed by dots, is a beginning.
    ending: digits.length < 32 && typed === given ? digits : null,
  };
}

/** Whether an id is one of those that a reference names. */
export function isNamedBy(id: string, { from, to, start, ending }: IdReference): boolean {
  if (id >= from && id <= to) return true;
  if (start !== null && id.slice(-12).startsWith(start)) return true;
  return ending !== null && id.replaceAll('-', '').endsWith(ending);
}

const BRANCH = /^(?:refs\/heads\/|(?:refs\/remotes\/)?[\w.-]+\/(?=animus\/))?animus\//;
const CUT = /(?:…|\.\.\.)$/;

function dashed(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
