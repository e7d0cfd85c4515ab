/** Reads `[faculty.bash]`: where `bash` runs its commands, and refuses keys that contradict each other. */
import type { Isolation } from '../../process/runners/runners.ts';
import type { BashContainer } from '../faculty/faculty.ts';
import type { FacultyDocument } from '../faculty/faculty-schema.ts';
import { conflict, type FacultyCheck, given, listsTool } from './faculty-check.ts';

type BashTable = FacultyDocument['faculty']['bash'];

/** Keys that only a container has. */
const OF_CONTAINER = ['image', 'memory_mib', 'cpus', 'pids', 'network'] as const;

/** The container of `bash`; null if it runs on the host, or if the table has problems. */
export function readBashContainer(check: FacultyCheck): BashContainer | null {
  const isolation = given(check, 'bash', 'isolation');
  const refuse = (detail: string) => conflict(check, ['bash', 'isolation'], detail);
  if (isolation !== 'container') {
    for (const key of OF_CONTAINER.filter((name) => given(check, 'bash', name) !== undefined)) {
      const detail = 'is only for isolation = "container"; set it in [faculty.bash], or remove the key';
      conflict(check, ['bash', key], detail);
    }
    if (isolation !== undefined && given(check, 'engage', 'bash_isolation') !== undefined)
      conflict(check, ['engage', 'bash_isolation'], 'isolation in [faculty.bash] is also set; keep one of them');
    return null;
  }
  if (given(check, 'engage', 'mode') === 'external')
    refuse('"container" is for the tool bash; the command of mode = "external" runs on the host');
  else if (!listsTool(check, 'bash'))
    refuse('"container" is for the tool bash: list bash in engage.tools, or remove the table');
  if (check.document.written('faculty', 'bash', 'image') === undefined)
    refuse('"container" needs image, the image of the container; it must have a shell');
  return containerOf(check.document.sound?.faculty.bash);
}

/** The isolation of commands on the host that the table asks for; null: none in particular. */
export function hostIsolationOf(isolation: BashTable['isolation']): Isolation | null {
  return isolation === undefined || isolation === 'container' ? null : isolation;
}

function containerOf(bash: BashTable | undefined): BashContainer | null {
  if (bash?.image === undefined) return null;
  const { image, memory_mib, cpus, pids, network } = bash;
  const reached = network === 'none' ? [] : network;
  return { image, memoryMib: memory_mib ?? null, cpus, pids: pids ?? null, network: reached };
}
