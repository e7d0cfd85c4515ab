/** Whether there is a faculty of that name, as far as a command can know. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AnimusError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/errors/suggest.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { unservedFaculty } from '../../../terminal/command/known-faculties.ts';

/**
 * Refuses a name that no running daemon serves and no file here has. Where neither is known (a login that only submits, a database
 * without a daemon and a directory without faculties), any name passes. `words` are other words that may have been meant. Errors: `faculty.unknown`.
 */
export async function requireKnownFaculty(
  invocation: Invocation,
  db: Queryable,
  name: string,
  words: readonly string[] = [],
): Promise<void> {
  const unserved = await unservedFaculty(invocation, db, { name });
  if (unserved === null) return;
  const { known, directory } = unserved;
  if (known.length === 0 || known.includes(name)) return;
  const why = existsSync(join(directory, `${name}.toml`))
    ? '; its file has problems: animus faculty check'
    : didYouMean(name, [...known, ...words]);
  throw new AnimusError('faculty.unknown', { name, hint: `${why}; known faculties: ${known.toSorted().join(', ')}` });
}

/** The faculties that running daemons serve, and those with a file here. Errors: `db.*`. */
export async function availableFaculties(invocation: Invocation, db: Queryable): Promise<readonly string[]> {
  // No faculty has this name, so the result lists all.
  return (await unservedFaculty(invocation, db, { name: '' }))?.known ?? [];
}
