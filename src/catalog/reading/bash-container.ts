/** Reads `[faculty.bash]`: where `bash` runs its commands, and refuses keys that contradict each other. */
import type { Isolation } from '../../process/runners/runners.ts';
import type { BashContainer } from '../faculty/faculty.ts';
import type { FacultyDocument } from '../faculty/faculty-schema.ts';
import { conflict, type FacultyCheck } from './faculty-check.ts';

type BashTable = FacultyDocument['faculty']['bash'];

/** Keys that only a container has. */
const OF_CONTAINER = ['image', 'memory_mib', 'cpus', 'pids', 'network'] as const;

/** The container of `bash`; null if it runs on the host, or if the table has problems. */
export function readBashContainer(check: FacultyCheck): BashContainer | null {
  const { document } = check;
  const given = (...path: string[]) => document.given('faculty', ...path);
  const isolation = given('bash', 'isolation');
  if (isolation !== 'container') {
    for (const key of OF_CONTAINER) {
      if (given('bash', key) !== undefined)
        conflict(
          check,
          ['bash', key],
          'is only for isolation = "container"; set it in [faculty.bash], or remove the key',
        );
    }
    if (isolation !== undefined && given('engage', 'bash_isolation') !== undefined)
      conflict(check, ['engage', 'bash_isolation'], 'isolation in [faculty.bash] is set, too; keep one of them');
    return null;
  }
  const tools = given('engage', 'tools');
  if (given('engage', 'mode') === 'external') {
    conflict(
      check,
      ['bash', 'isolation'],
      '"container" is for the tool bash; the command of mode = "external" runs on the host',
    );
  } else if (!Array.isArray(tools) || !tools.includes('bash')) {
    conflict(
      check,
      ['bash', 'isolation'],
      '"container" is for the tool bash: list bash in engage.tools, or remove the table',
    );
  }
  if (document.written('faculty', 'bash', 'image') === undefined)
    conflict(check, ['bash', 'isolation'], '"container" needs image, the image of the container; it must have a shell');
  return containerOf(document.sound?.faculty.bash);
}

/** The isolation of commands on the host that the table asks for; null: none in particular. */
export function hostIsolationOf(isolation: BashTable['isolation']): Isolation | null {
  return isolation === undefined || isolation === 'container' ? null : isolation;
}

function containerOf(bash: BashTable | undefined): BashContainer | null {
  if (bash?.image === undefined) return null;
  const { image, memory_mib, cpus, pids, network } = bash;
  return {
    image,
    memoryMib: memory_mib ?? null,
    cpus,
    pids: pids ?? null,
    network: network === 'none' ? [] : network,
  };
}
