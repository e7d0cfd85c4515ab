/** Describes how the commands of a faculty are isolated from the rest of the host. */
import type { Faculty } from '../../catalog/faculty.ts';
import { NO_LOOP_HOOKS } from '../../catalog/loop-hooks.ts';
import { modeOf } from '../../catalog/modes.ts';
import { describeIsolation, examineIsolation, placeProblem } from '../../process/isolation.ts';
import type { Isolation } from '../../process/process-host.ts';

/** The isolation in which `bash` and the hooks of a faculty run on this host. */
export interface BashIsolation {
  /** Null: the faculty requires an isolation that this host does not support, so its commands are refused. */
  readonly isolation: Isolation | null;
  /** Completes the sentence "bash and hooks run …". */
  readonly sentence: string;
}

/** Describes the isolation of this faculty on this host; `home` is ANIMUS_HOME. */
export async function bashIsolationOf({ engage, workspace, repo }: Faculty, home: string): Promise<BashIsolation> {
  const { best, missing } = await examineIsolation(home);
  const wanted = engage.bashIsolation ?? best;
  const why = missing[wanted];
  if (why !== undefined)
    return refused(`bash_isolation requires "${wanted}", which this host does not support: ${why}`);
  const place = workspace ?? repo;
  const problem = place === null ? null : placeProblem(wanted, place);
  if (problem !== null) return refused(problem);
  return { isolation: wanted, sentence: describeIsolation(wanted) };
}

function refused(reason: string): BashIsolation {
  return { isolation: null, sentence: `not at all: ${reason}` };
}

/** True for a faculty that runs commands at all. */
export function runsCommands({ engage, orient, consolidate, recover, hooks = NO_LOOP_HOOKS }: Faculty): boolean {
  return (
    modeOf(engage.mode).needs === 'command' ||
    engage.tools.includes('bash') ||
    orient !== null ||
    consolidate !== null ||
    recover.hook !== null ||
    Object.values(hooks).some((ofEvent) => ofEvent.length > 0)
  );
}
