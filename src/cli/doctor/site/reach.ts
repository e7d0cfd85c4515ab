/** Checks what commands and file tools of agents cannot reach on this host, and what they can. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import { runsCommands, startsOnHost } from '../../../catalog/faculty/runs-commands.ts';
import type { Config } from '../../../core/config/config.ts';
import type { Environment } from '../../../core/config/source/environment.ts';
import { isAnimusError } from '../../../core/errors/errors.ts';
import { hostIsolation } from '../../../daemon/focus/scope/host-isolation.ts';
import { knowFiles } from '../../../daemon/guard/known-files.ts';
import { loadedFiles, realPathOf } from '../../../daemon/guard/loaded-files.ts';
import { isShared, secretPlaces } from '../../../daemon/guard/secret-files.ts';
import { isWithin } from '../../../process/file-rules.ts';
import { detectIsolation } from '../../../process/isolation.ts';
import type { Isolation } from '../../../process/process-host.ts';
import { locate } from '../../../store/postgres/locate.ts';
import { letsInWithoutPassword } from '../../../store/postgres/password-check.ts';
import { hostsOf } from '../../../store/postgres/replaceable-pool.ts';
import { unixSocketsOf } from '../../../store/postgres/unix-socket.ts';
import { type Finding, fine, note, problem } from '../../../terminal/view/finding.ts';

/** What is looked at; paths are absolute. */
export interface Reach {
  readonly config: Config;
  readonly env: Environment;
  readonly cwd: string;
  readonly facultiesDir: string;
  readonly faculties: ReadonlyMap<string, Faculty>;
  readonly skillsDirs: readonly string[];
}

/** One finding per promise of docs/security.md, for the weakest isolation that a faculty here uses. */
export async function examineReach(reach: Reach): Promise<readonly Finding[]> {
  const best = await detectIsolation(reach.config.home);
  const used = [...reach.faculties.values()].filter(startsOnHost).map((faculty) => hostIsolation(faculty, best));
  const weakest = (['none', 'uid', 'namespace'] as const).find((each) => used.includes(each)) ?? best;
  return [
    ...examineSecrets(reach, weakest),
    examineLoaded(weakest),
    ...examinePlaces(reach),
    ...(await examineDatabaseLogin(reach, weakest)),
    ...examineRoot(weakest),
  ];
}

function examineSecrets({ config, env }: Reach, isolation: Isolation): readonly Finding[] {
  const check = 'hidden from agents';
  const known = knowFiles(secretPlaces(config, env).secrets);
  try {
    const paths = known.realPaths();
    const what = paths.length === 0 ? 'no secrets yet' : paths.join(', ');
    if (isolation === 'namespace') return [fine(check, what)];
    const only = isolation === 'uid' ? 'only file modes and owners keep commands out' : 'nothing keeps commands out';
    return [note(check, `hidden from file tools: ${what}; ${only}`, NAMESPACES)];
  } catch (error) {
    if (!isAnimusError(error, 'files.displaced')) throw error;
    return [problem(check, error.message)];
  } finally {
    known.close();
  }
}

const NAMESPACES = 'use bash_isolation = "namespace" on a host that permits it (docs/security.md)';

function examineLoaded(isolation: Isolation): Finding {
  const check = 'read-only for agents';
  const what = 'faculties, skills, hooks, animus.toml, programs of providers, and the code of animus';
  if (isolation === 'namespace') return fine(check, what);
  const only =
    isolation === 'uid' ? 'only file owners and modes keep commands from writing them' : 'commands can write them';
  return note(check, `read-only for file tools: ${what}; ${only}`, NAMESPACES);
}

/** Finds unsuitable workspaces, and missing files in a workspace that animus would read at its next start if a command created them. */
function examinePlaces(reach: Reach): readonly Finding[] {
  const missing = loadedFiles(reach).filter(
    (path) => !existsSync(path) && !isWithin(realPathOf(reach.config.home), path),
  );
  return [...reach.faculties.values()].flatMap((faculty) => {
    const { name, workspace } = faculty;
    if (workspace === null) return [];
    const place = realPathOf(workspace);
    const own = realPathOf(reach.config.home);
    if (place === own || ['foci', 'homes', 'caches'].some((name) => isWithin(join(own, name), place))) {
      const detail = `the workspace of ${name}, ${workspace}, belongs to animus itself and is hidden from its agents`;
      return [problem('workspace', detail, 'choose another workspace')];
    }
    // File tools refuse to create these paths.
    if (!runsCommands(faculty) && !startsOnHost(faculty)) return [];
    const detail = (path: string) =>
      `a command of ${name} can create ${path}, which the next start of animus would read`;
    return missing.filter((path) => isWithin(place, path)).map((path) => note('workspace', detail(path), MAKE_IT));
  });
}

const MAKE_IT = 'create it yourself, empty if need be: what exists is read-only for agents';

/** With `trust` or `peer`, any process that can reach the server can log in as the role. */
async function examineDatabaseLogin({ config }: Reach, isolation: Isolation): Promise<readonly Finding[]> {
  const urls = config.databaseUrl === null ? [] : hostsOf(config.databaseUrl.reveal()).urls;
  const all = await Promise.all(
    urls.map(async (url) => {
      const found = await examineLoginAt(url, isolation);
      return urls.length === 1 ? found : found.map((one) => ({ ...one, detail: `${locate(url)}: ${one.detail}` }));
    }),
  );
  return all.flat();
}

/** At one host. */
async function examineLoginAt(url: string, isolation: Isolation): Promise<readonly Finding[]> {
  const check = 'database login';
  const [socket = null] = unixSocketsOf(url);
  const open = await letsInWithoutPassword(url);
  const remedy =
    'require a password (scram-sha-256 in pg_hba.conf), and put the connection string with it into the file named by DATABASE_URL_FILE';
  if (socket === null) {
    const detail = 'the server accepts the role without a password, and commands share the network';
    return [open ? note(check, detail, remedy) : fine(check, 'by password')];
  }
  const place = isShared(socket.directory) ? socket.file : socket.directory;
  if (isolation === 'namespace') {
    if (place === socket.directory || !open)
      return [fine(check, `over the socket in ${socket.directory}; ${place} is hidden from commands`)];
    const detail = `${place} is hidden from commands, but after a restart of the server it is visible to commands that are running`;
    return [note(check, detail, 'put the socket into its own directory (unix_socket_directories)')];
  }
  if (!open) return [fine(check, `over the socket in ${socket.directory}, with a password`)];
  const who = `${isolation === 'none' ? '' : 'with trust, '}every command can log in as this role`;
  const detail = `the server accepts this user without a password on its socket in ${socket.directory}: ${who}`;
  return [problem(check, detail, remedy)];
}

function examineRoot(isolation: Isolation): readonly Finding[] {
  if (process.getuid?.() !== 0 || isolation === 'uid') return [];
  const detail =
    'animus runs as root, and so do commands: they can write files that the host runs, such as /etc/cron.d';
  return [note('user', detail, 'run animus as its own user')];
}
