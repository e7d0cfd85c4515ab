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

/** What is asked for a faculty. */
interface Asked {
  readonly name: string;
  readonly directory?: string | undefined;
  /** What is so until there is such a faculty. */
  readonly until?: string;
  /** Whether it only counts that there is such a faculty, served or not; default false. */
  readonly named?: boolean;
}

/** Notes that no daemon serves the faculty: by default that the work stays queued. It is not an error but usually a typing mistake. */
export async function warnIfUnserved(
  invocation: Invocation,
  db: Queryable,
  { name, directory, until = 'the work stays queued', named = false }: Asked,
): Promise<void> {
  const unserved = await unservedFaculty(invocation, db, { name, directory });
  if (unserved === null) return;
  const { known, isServing } = unserved;
  if (!known.includes(name)) {
    invocation.output.note(`no faculty is named ${name}${didYouMean(name, known)}; ${until} until one is`);
  } else if (isServing && !named) {
    invocation.output.note(
      `no running daemon serves ${name}; ${until}. To see why: ${invocation.output.called} status`,
    );
  }
}
