/** Runs a command in Linux namespaces of its own by util-linux's `unshare`: no other process of the host exists for it. */
import { spawn } from 'node:child_process';
import { release } from 'node:os';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { Runner } from './runner.ts';
import { GATE, GO, maxTasksOf, systemProgram } from './start-gate.ts';

/** The programs that make a namespace, by absolute path. */
interface NamespacePrograms {
  readonly sh: string;
  readonly unshare: string;
  readonly mount: string;
  readonly setpriv: string;
}

/**
 * Runs in the outer namespace, as its process 1 and root: hides what is to be hidden, then runs the command in a nested
 * user namespace. Mounts that a namespace inherits from a more privileged one are locked, so that the command, whatever
 * it is inside, can undo neither these nor /proc. Process 1 stays behind as an init: a command that were process 1
 * itself would be immune to SIGTERM. When it ends, the kernel kills all that is left.
 * The last step is the start gate. When it is reached all of this has worked, and `--kill-child` has armed the signal by
 * which process 1 dies with `unshare`: that happens after the fork, so that an `unshare` killed in between leaves it alive.
 */
const OUTER = `unshare=$1 mount=$2 sh=$3 uid=$4 gid=$5 inner=$6; shift 6
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then "$mount" -t tmpfs -o ro,mode=000 none "$1" || exit 125
  elif [ -e "$1" ]; then "$mount" --bind /dev/null "$1" || exit 125
  fi
  shift
done
shift
"$unshare" --user --mount --map-user="$uid" --map-group="$gid" -- "$sh" -c "$inner" "$sh" "$@"
exit $?`;

/** Needs Linux, util-linux 2.38 or so and permission to create user namespaces. */
export const namespaceRunner: Runner = {
  words: {
    apart: 'in user, PID and mount namespaces of their own',
    hides: 'they see no other process and cannot open the secrets of the daemon',
    leaves: 'other files of its user they can',
  },
  examine: tryNamespace,
  homeProblem: () => null,
  placeProblem: () => null,
  start({ command, args, hidePaths, maxTasks }) {
    const gated = [maxTasksOf(countsApart() ? maxTasks : null), command, ...args];
    const line = inNamespace(gated, hidePaths);
    return line === null ? 'this host has no namespaces (Linux with util-linux is needed)' : { ...line, gated: true };
  },
  // When `unshare` ends, the kernel kills all that is left in the namespace.
  diesWithLeader: true,
  runsAsOwner: false,
};

/** The command line that runs `command` in namespaces behind the start gate. */
function inNamespace(
  gated: readonly string[],
  hidePaths: readonly string[] = [],
): { readonly command: string; readonly args: readonly string[] } | null {
  const found = findPrograms();
  if (!found || !process.getuid || !process.getgid) return null;
  const ids = [String(process.getuid()), String(process.getgid())];
  const { setpriv, unshare, sh, mount } = found;
  // With the parent-death signal, namespaces end even when supervisor and daemon are killed in the same instant.
  const asOrphan = ['--pdeathsig', 'KILL'];
  const outer = [unshare, '--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child', '--'];
  const setUp = [sh, '-c', OUTER, sh, unshare, mount, sh, ...ids, GATE, ...hidePaths.map((path) => resolve(path))];
  return { command: setpriv, args: [...asOrphan, ...outer, ...setUp, '--', ...gated] };
}

/**
 * Null where a namespace can be made, else why not: it needs Linux, util-linux 2.38 or so and permission to create user
 * namespaces, which the default seccomp profile of Docker denies.
 */
function tryNamespace(): Promise<string | null> {
  const wrapped = inNamespace([maxTasksOf(null), '/bin/true']);
  if (!wrapped) return Promise.resolve('needs Linux with util-linux (unshare, mount, setpriv)');
  return new Promise((resolve) => {
    const child = spawn(wrapped.command, wrapped.args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      env: {},
      timeout: 5000,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const gate = child.stdio[3] as Writable | null;
    gate?.on('error', () => {});
    gate?.write(GO);
    child.on('error', ({ message }) => resolve(message));
    child.on('close', (code) => resolve(code === 0 ? null : refusal(said)));
  });
}

function refusal(said: string): string {
  const detail = said.trim().split('\n', 1)[0] ?? '';
  return `the system does not permit user namespaces${detail === '' ? '' : ` (${detail})`}; in Docker its seccomp profile denies them`;
}

function findPrograms(): NamespacePrograms | null {
  if (process.platform !== 'linux') return null;
  const [sh, unshare, mount, setpriv] = ['sh', 'unshare', 'mount', 'setpriv'].map(systemProgram);
  return sh && unshare && mount && setpriv ? { sh, unshare, mount, setpriv } : null;
}

/** From Linux 5.14 on a user's processes are counted in each user namespace on their own; those of root have no limit. */
function countsApart(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
