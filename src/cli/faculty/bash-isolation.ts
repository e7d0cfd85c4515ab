/** Describes how the commands of a faculty are isolated from the rest of the host. */
import type { BashContainer, Faculty } from '../../catalog/faculty/faculty.ts';
import { hostIsolation } from '../../daemon/focus/scope/host-isolation.ts';
import { describeIsolation, examineIsolation, placeProblem } from '../../process/isolation.ts';
import type { Isolation } from '../../process/process-host.ts';

/** The isolation in which `bash` and the hooks of a faculty run on this host. */
export interface BashIsolation {
  /** Null: the faculty requires an isolation that this host does not support, so its commands are refused. */
  readonly isolation: Isolation | null;
  /** Completes the sentence "bash and hooks run …"; with a container, that of the hooks alone. */
  readonly sentence: string;
  /** Completes the sentence "bash runs …" where it runs in a container; else null. */
  readonly container: string | null;
}

/** Describes the isolation of this faculty on this host; `home` is ANIMUS_HOME. */
export async function bashIsolationOf(faculty: Faculty, home: string): Promise<BashIsolation> {
  const { engage, bashContainer, workspace, repo } = faculty;
  const { best, missing } = await examineIsolation(home);
  const wanted = hostIsolation(faculty, best);
  const container = bashContainer ? describeContainer(bashContainer) : null;
  const refused = (reason: string) => ({ isolation: null, sentence: `not at all: ${reason}`, container });
  const why = missing[wanted];
  if (why !== undefined) {
    const who = engage.bashIsolation === null ? 'with a container, a daemon that runs as root' : 'bash_isolation';
    return refused(`${who} requires "${wanted}", which this host does not support: ${why}`);
  }
  const place = workspace ?? repo;
  const problem = place === null ? null : placeProblem(wanted, place);
  return problem === null ? { isolation: wanted, sentence: describeIsolation(wanted), container } : refused(problem);
}

/** One sentence, or one for bash and one for the rest. */
export function bashSentences({ sentence, container }: BashIsolation): readonly string[] {
  if (container === null) return [`bash and hooks run ${sentence}`];
  return [`bash runs ${container}`, `hooks run ${sentence}`];
}

/** True where commands of agents run on the host without any isolation. */
export function isUnprotected(bash: BashIsolation | null): boolean {
  return bash?.isolation === 'none' && bash.container === null;
}

function describeContainer({ image, network }: BashContainer): string {
  const reach = network.length === 0 ? 'without a network' : `which reaches only ${network.join(', ')}`;
  return `in a container of the image ${image}, ${reach}; animus sandbox status shows whether the engine can start it`;
}
