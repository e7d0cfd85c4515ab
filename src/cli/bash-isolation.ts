/** What keeps the commands of a faculty apart from the rest of the host, in honest words. */
import type { Faculty } from '../catalog/faculty.ts';
import { detectIsolation } from '../process/namespace.ts';

/** What `bash` and the hooks of a faculty run in on this host. */
export interface BashIsolation {
  /** Null: the faculty demands what this host cannot do, so its commands are refused. */
  readonly isolation: 'namespace' | 'none' | null;
  readonly sentence: string;
}

const SENTENCES = {
  namespace:
    'in user, process and mount namespaces of their own: they see no other process, neither the home of animus nor its secrets',
  none: 'as the user of the daemon, with a scrubbed environment: this guards against accidents only; a command that tries can read what the daemon can read',
} as const;

/** Of this faculty, on the host this runs on. */
export async function bashIsolationOf({ engage }: Faculty): Promise<BashIsolation> {
  const best = await detectIsolation();
  const wanted = engage.bashIsolation ?? best;
  if (wanted === 'namespace' && best !== 'namespace') {
    return {
      isolation: null,
      sentence: 'not at all: bash_isolation demands namespaces, which this host does not allow',
    };
  }
  return { isolation: wanted, sentence: SENTENCES[wanted] };
}

/** True for a faculty that runs commands at all. */
export function runsCommands({ engage, orient, consolidate, recover }: Faculty): boolean {
  return (
    engage.mode === 'external' ||
    engage.tools.includes('bash') ||
    orient !== null ||
    consolidate !== null ||
    recover.hook !== null
  );
}
