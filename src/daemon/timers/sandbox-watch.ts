/** Reports to `status` why containers that faculties need cannot be started. */
import { containerImages } from '../../catalog/faculty/container-images.ts';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { ContainerHost } from '../../sandbox/container-host.ts';

export interface SandboxWatchMeans {
  readonly clock: Clock;
  readonly containers: Pick<ContainerHost, 'health'>;
  /** The image of code whose faculty names none. */
  readonly codeImage: string;
  readonly faculties: () => Iterable<Faculty>;
  /** Gets all problems whenever they have changed. */
  readonly onProblems: (problems: readonly string[]) => Promise<void>;
}

/** An engine is repaired by hand: nobody waits for the line in `status` to go. */
const PAUSE_MS = 60_000;

/** Asks the engine only while a faculty needs it. */
export function createSandboxWatch({
  clock,
  containers,
  codeImage,
  faculties,
  onProblems,
}: SandboxWatchMeans): Service {
  const stopping = new AbortController();
  let watching: Promise<void> | null = null;
  let known = '';

  async function look(): Promise<void> {
    const problems: string[] = [];
    for (const [image, names] of containerImages(faculties(), codeImage)) {
      const { problem } = await containers.health(image);
      if (problem !== null) problems.push(`containers of ${names.join(', ')}: ${problem}`);
    }
    if (problems.join('\n') === known || stopping.signal.aborted) return;
    known = problems.join('\n');
    await onProblems(problems);
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await look();
      await clock.sleep(PAUSE_MS, stopping.signal);
    }
  }

  return {
    async start() {
      watching = watch();
    },
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}
