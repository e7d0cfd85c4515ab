/**
 * The first step of every command: a shell that enters the run's cgroup, makes the run the first one that the kernel kills when the host is out of
 * memory, and enters the place. All later steps inherit this. So commands do not inherit the daemon's own score, which an
 * operator may have lowered.
 */
import type { StartLine } from './runner.ts';
import { systemProgram } from './start-gate.ts';

const VICTIM = `{ echo 1000 >/proc/self/oom_score_adj; [ -z "$1" ] || echo 0 >"$1"; } 2>/dev/null; shift`;

/** Waits until the place is prepared. The first line on the gate's pipe has its namespaces, or says why there is none. */
const ENTER = `read -r user mounts <&3 || exit 125
case $user in /*) ;; *) echo "$user $mounts" >&2; exit 125;; esac
setpriv=$1 nsenter=$2; shift 2
# With the parent-death signal, namespaces end even if supervisor and daemon are killed at the same moment.
exec "$setpriv" --pdeathsig KILL "$nsenter" --user="$user" --mount="$mounts" --preserve-credentials -- "$@"`;

/** Adds the first step. `cgroup`: the file `cgroup.procs` of the run's, if it has one. */
export function withFirstStep(line: StartLine, cgroup: string | null): Pick<StartLine, 'command' | 'args'> {
  const sh = process.platform === 'linux' ? systemProgram('sh') : null;
  if (sh === null) return line;
  const { place, command, args } = line;
  const enter = place ? [place.setpriv, place.nsenter] : [];
  const script = `${VICTIM}\n${place ? ENTER : 'exec "$@"'}`;
  return { command: sh, args: ['-c', script, sh, cgroup ?? '', ...enter, command, ...args] };
}
