/** What this host can do to keep commands away from it, found out by trying, and said honestly. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { runAsUser, spareUser } from './as-user.ts';
import { tryNamespace } from './namespace.ts';
import type { Isolation } from './process-host.ts';

/** The best a host can do, and why it can do no better. */
export interface IsolationReport {
  readonly best: Isolation;
  /** Why the isolations that it cannot do are not there. */
  readonly missing: Readonly<Partial<Record<'namespace' | 'uid', string>>>;
}

let tried: Promise<Omit<IsolationReport, 'best'> & { readonly namespace: boolean }> | undefined;

/**
 * The best of `namespace`, `uid` and `none`, in this order. Each is tried once per process. `home` is ANIMUS_HOME: with
 * `uid` a command has to get through to the focus directories below it; without it that is not looked at.
 */
export async function examineIsolation(home?: string): Promise<IsolationReport> {
  tried ??= tryBoth();
  const { namespace, missing } = await tried;
  if (namespace) return { best: 'namespace', missing };
  const uid = missing.uid ?? (home === undefined ? undefined : blocked(home));
  return uid === undefined ? { best: 'uid', missing } : { best: 'none', missing: { ...missing, uid } };
}

/** Only the best of `examineIsolation`. */
export async function detectIsolation(home?: string): Promise<Isolation> {
  return (await examineIsolation(home)).best;
}

/** What each isolation guards against and what not, for people: completes «commands run …». */
export function describeIsolation(isolation: Isolation): string {
  switch (isolation) {
    case 'namespace':
      return 'in user, PID and mount namespaces of their own: they see no other process and cannot open the secrets of the daemon; other files of its user they can';
    case 'uid':
      return 'as another user without privileges, the owner of their directory: they can neither read memory, environment and private files of the daemon nor signal it; they see which processes there are';
    case 'none':
      return 'as the user of the daemon, with a scrubbed environment: this guards against accidents only; a command that means harm can read the database credential and the API keys of the daemon, and kill it';
    default:
      return isolation satisfies never;
  }
}

async function tryBoth() {
  const namespace = await tryNamespace();
  const uid = tryUser();
  return {
    namespace: namespace === null,
    missing: { ...(namespace !== null && { namespace }), ...(uid !== null && { uid }) },
  };
}

function tryUser(): string | null {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'needs a daemon that runs as root';
  const user = spareUser(0);
  const id = runAsUser('id', ['-u'], user)?.trim();
  if (id === String(user.uid)) return null;
  return 'needs setpriv (util-linux) and the right to change to other users, which this container may lack';
}

/** The first directory above the home that lets no other user through; animus opens the home itself. */
function blocked(home: string): string | undefined {
  for (let directory = dirname(home); ; directory = dirname(directory)) {
    const stats = statSync(directory, { throwIfNoEntry: false });
    if (stats && (stats.mode & 0o001) === 0) {
      const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
      return `${directory} lets no other user through (mode ${mode}); set ANIMUS_HOME to a place that does, such as /var/lib/animus`;
    }
    if (directory === dirname(directory)) return undefined;
  }
}
