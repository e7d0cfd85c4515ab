/**
 * Runs a program where it can do no harm: what a mutant deletes or kills may be anything. It sees no process but its own, can write only to one directory, has
 * a /tmp, a /run and a /dev/shm of its own, and all that it has started ends with it. Needs Linux, and root or user namespaces.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';

const OPTIONS = ['--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];
/** $1 is the directory; the rest is the command. The shell stays: it reaps what loses its parent. */
const SCRIPT = `set -e
mount --bind "$1" "$1"
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs tmpfs /run
mount -o remount,bind,ro /
cd "$1/tree"
shift
set +e
"$@"
exit $?`;

/** Errors: this machine cannot confine. */
export function checkConfine(): void {
  const { status } = spawnSync('unshare', [...OPTIONS, 'true'], { stdio: 'ignore' });
  if (status !== 0)
    throw new Error('mutants run only where unshare works: on Linux, as root. What they delete may be anything');
}

/** Starts `command` in `directory`/tree. Kill it with SIGKILL. */
export function startConfined(directory: string, command: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const args = [...OPTIONS, '--', 'sh', '-c', SCRIPT, 'sh', directory, ...command];
  // A group of its own: Ctrl-C is for the sampler.
  return spawn('unshare', args, { env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
}
