/** Checks this host: isolation of bash, limits, faculties. */
import type { Faculties } from '../../../catalog/faculties.ts';
import type { DaemonConfig } from '../../../core/config/sections/daemon.ts';
import { describeIsolation, examineIsolation as examineHost } from '../../../process/isolation.ts';
import { cgroupsHere } from '../../../process/limits/cgroup-place.ts';
import { type Finding, fine, note, problem } from '../../../terminal/view/finding.ts';

/**
 * The best isolation of commands on this host, and the faculties that require more. `home` is ANIMUS_HOME where it is
 * known.
 */
export async function examineIsolation(
  { faculties }: Pick<Faculties, 'faculties'>,
  home?: string,
): Promise<readonly Finding[]> {
  const { best, missing } = await examineHost(home);
  const lacking = Object.entries(missing).map(([isolation, why]) => `"${isolation}": ${why}`);
  const detail = `${best}: commands run ${describeIsolation(best)}`;
  const own = best === 'none' ? note('isolation', detail, lacking.join('; ')) : fine('isolation', detail);
  const demands = [...faculties.values()].flatMap(({ name, engage: { bashIsolation: wanted } }) => {
    const why = wanted === null ? undefined : missing[wanted];
    return why === undefined
      ? []
      : [problem('isolation', `faculty ${name} requires bash_isolation = "${wanted}"`, why)];
  });
  return [own, ...demands];
}

/** The limits of a focus, and how they are enforced. A service may have more rights than the shell that runs the doctor. */
export function examineLimits({ focusMaxMemoryMib, focusMaxProcesses }: DaemonConfig): Finding {
  const detail = `a focus may use ${focusMaxMemoryMib} MiB and ${focusMaxProcesses} processes, unless its faculty says otherwise`;
  if (process.platform !== 'linux')
    return note('limits', `${detail}: not enforced on this system`, 'run the daemon on Linux');
  const checked = 'checked by the supervisor ten times a second';
  const here = cgroupsHere();
  switch (here) {
    case 'limits':
      return fine('limits', `${detail}: enforced by the kernel (cgroup v2), and ${checked}`);
    case 'kill':
      return fine('limits', `${detail}: ${checked}; a command is killed with everything it started, by its cgroup`);
    case 'none':
      return note('limits', `${detail}: ${checked}`, OWN_CGROUP);
    default:
      return here satisfies never;
  }
}

const OWN_CGROUP = 'to have the kernel enforce limits, give animus its own cgroup v2 (systemd: Delegate=yes)';

/** Every problem of every file. */
export function examineFaculties(directory: string, { faculties, problems }: Faculties): readonly Finding[] {
  if (problems.length > 0) return problems.map(({ message }) => problem('faculties', message));
  if (faculties.size === 0)
    return [note('faculties', `no faculty files in ${directory}`, 'write one, or pass --faculties')];
  return [fine('faculties', `${[...faculties.keys()].join(', ')} in ${directory}`)];
}
