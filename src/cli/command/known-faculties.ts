/** Which faculties there are, as far as a command can know. */
import { didYouMean } from '../../core/errors/suggest.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { liveDaemons } from '../../store/work/daemons.ts';
import type { Invocation } from './command.ts';
import { facultiesDirectory } from './faculties-directory.ts';

export interface UnservedFaculty {
  /** The faculties that running daemons serve, and those with a file in `directory`. */
  readonly known: readonly string[];
  readonly directory: string;
  /** Whether any daemon runs. */
  readonly isServing: boolean;
}

/** What else there is if no running daemon serves the faculty; null if one does, or for a login that may not see daemons. */
export async function unservedFaculty(
  invocation: Invocation,
  db: Queryable,
  { name, directory: given }: { readonly name: string; readonly directory?: string | undefined },
): Promise<UnservedFaculty | null> {
  const daemons = await liveDaemons(db);
  if (daemons === null) return null;
  const served = daemons.flatMap(({ faculties }) => faculties);
  if (served.includes(name)) return null;
  // Only now: it loads the schemas of faculties and of all tools.
  const { facultyNames } = await import('./faculty-names.ts');
  const directory = await facultiesDirectory(invocation, given);
  return { known: [...new Set([...served, ...facultyNames(directory)])], directory, isServing: daemons.length > 0 };
}

/** Notes that no daemon serves the faculty: the work stays queued, which is not an error but usually a typing mistake. */
export async function warnIfUnserved(
  invocation: Invocation,
  db: Queryable,
  { name, directory }: { readonly name: string; readonly directory?: string | undefined },
): Promise<void> {
  const unserved = await unservedFaculty(invocation, db, { name, directory });
  if (unserved === null) return;
  const { known, isServing } = unserved;
  if (!known.includes(name)) {
    invocation.output.note(`no faculty is named ${name}${didYouMean(name, known)}; the work stays queued until one is`);
  } else if (isServing) {
    invocation.output.note(`no running daemon serves ${name}; the work stays queued. To see why: animus status`);
  }
}
