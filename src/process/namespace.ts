/** Runs a command in Linux namespaces of its own by util-linux's `unshare`: no other process of the host exists for it. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { findProgram } from './find-program.ts';

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
 * File descriptor 3 tells that all of this worked; before that, a failure is «not started».
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
const INNER = `printf r >&3; exec "$@" 3>&-`;

/** The command line that runs `command` in namespaces; the caller gives it a pipe as file descriptor 3. */
export function inNamespace(
  command: string,
  args: readonly string[],
  hidePaths: readonly string[] = [],
): { readonly command: string; readonly args: readonly string[] } | null {
  const found = findPrograms();
  if (!found || !process.getuid || !process.getgid) return null;
  const ids = [String(process.getuid()), String(process.getgid())];
  const { setpriv, unshare, sh, mount } = found;
  // With the parent-death signal, namespaces end even when supervisor and daemon are killed in the same instant.
  const asOrphan = ['--pdeathsig', 'KILL'];
  const outer = [unshare, '--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child', '--'];
  const setUp = [sh, '-c', OUTER, sh, unshare, mount, sh, ...ids, INNER, ...hidePaths.map((path) => resolve(path))];
  return { command: setpriv, args: [...asOrphan, ...outer, ...setUp, '--', command, ...args] };
}

/**
 * Null where a namespace can be made, else why not: it needs Linux, util-linux 2.38 or so and permission to create user
 * namespaces, which the default seccomp profile of Docker denies.
 */
export function tryNamespace(): Promise<string | null> {
  const wrapped = inNamespace('/bin/true', []);
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
    // One byte into a pipe does not wait for a reader.
    child.stdio[3]?.on('error', () => {});
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
  const path = '/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin';
  const [sh, unshare, mount, setpriv] = ['sh', 'unshare', 'mount', 'setpriv'].map((name) =>
    findProgram(name, path, '/'),
  );
  return sh && unshare && mount && setpriv ? { sh, unshare, mount, setpriv } : null;
}
