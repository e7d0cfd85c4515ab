/** Chooses the one thing that a person names by its id or a part of it, such as a work item or a conversation. */
import { AnimusError } from '../errors/errors.ts';
import { ID_RULE, type IdReference, readIdReference } from './id-reference.ts';

export interface NamedKind {
  /** `work item`. */
  readonly kind: string;
  /** The command that lists them. */
  readonly list: string;
}

export interface Candidate {
  readonly id: string;
  /** What tells it from others, for people: `engineer, queued`. */
  readonly about: string;
}

/**
 * The id of the one thing that is named. `search` returns those that a reference names, at most six. Errors: `work.invalid` for what is not
 * a part of an id, `work.not_found`, `work.ambiguous_id` with up to five candidates.
 */
export async function findOne(
  reference: string,
  kind: NamedKind,
  search: (reference: IdReference) => Promise<readonly Candidate[]>,
): Promise<string> {
  const found = await findAtMostOne(reference, kind, search);
  if (found !== null) return found;
  throw notFound(reference, kind);
}

/** The error for what is not there. */
export function notFound(
  reference: string,
  { kind, list }: NamedKind,
  hint = `; find its id with: ${list}`,
): AnimusError {
  return new AnimusError('work.not_found', { id: reference, detail: `no ${kind} ${reference.trim()}`, hint });
}

/** The same; null if there is none. */
export async function findAtMostOne(
  reference: string,
  { kind }: NamedKind,
  search: (reference: IdReference) => Promise<readonly Candidate[]>,
): Promise<string | null> {
  const read = readIdReference(reference);
  if (read === null) {
    const detail = `${JSON.stringify(reference)} is not the id of a ${kind}; give ${ID_RULE}`;
    throw new AnimusError('work.invalid', { detail });
  }
  const found = await search(read);
  if (found.length <= 1) return found[0]?.id ?? null;
  const candidates = found.slice(0, 5).map(({ id, about }) => `${id.slice(-12)} (${about})`);
  if (found.length > 5) candidates.push('…');
  throw new AnimusError('work.ambiguous_id', {
    id: reference.trim(),
    kinds: `${kind}s`,
    candidates: candidates.join(', '),
  });
}
