/** Finds out why containers that faculties need cannot be started: `status` shows it, and for faculties of mode `code` the API asks. */
import { containerImages } from '../../catalog/faculty/container-images.ts';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { ContainerHost } from '../../sandbox/container-host.ts';

interface WatchedSandboxes {
  readonly clock: Clock;
  readonly containers: Pick<ContainerHost, 'health' | 'ping'>;
  /** The image of code whose faculty names none. */
  readonly codeImage: string;
  readonly faculties: () => Iterable<Faculty>;
  /**
   * Gets all problems whenever they have changed: one line for each image that faculties with a model need, and the problem of each faculty of mode
   * `code`. That is not a line of `status`: such a faculty is shipped, and a machine without an engine is not a fault.
   */
  readonly onProblems: (lines: readonly string[], ofCode: ReadonlyMap<string, string>) => Promise<void>;
}

/** An engine is repaired by hand, so nobody waits for its line in `status` to disappear. */
const PAUSE_MS = 60_000;
/** Anyone who wants to run code is refused while no engine answers. */
const CODE_PAUSE_MS = 10_000;
/** An engine that answers the ping and was well at the last look: its images rarely disappear. */
const WELL_MS = 600_000;

/** Asks the engine only while a faculty needs it. */
export function createSandboxWatch(watched: WatchedSandboxes): Service {
  const { clock, faculties, onProblems } = watched;
  let known = JSON.stringify([[], []]);
  let last = { answered: true, well: false, atMs: Number.NEGATIVE_INFINITY, needs: '' };

  async function look(stopping: AbortSignal): Promise<void> {
    const needed = containerImages(faculties(), watched.codeImage);
    if (needed.size === 0 && known === JSON.stringify([[], []])) return;
    const code = new Set([...faculties()].filter(({ engage }) => engage.mode === 'code').map(({ name }) => name));
    const needs = JSON.stringify([...needed]);
    const onlyCode = [...needed.values()].flat().every((name) => code.has(name));
    const unanswered = needed.size === 0 ? null : await watched.containers.ping();
    const same = needs === last.needs && (unanswered === null) === last.answered;
    const againMs = onlyCode && last.well ? WELL_MS : PAUSE_MS;
    if (same && clock.monotonicMs() - last.atMs < againMs) return;
    const { lines, ofCode } = await problemsOf(needed, code, unanswered, watched);
    if (stopping.aborted) return;
    const well = lines.length === 0 && ofCode.size === 0;
    last = { answered: unanswered === null, well, atMs: clock.monotonicMs(), needs };
    const told = JSON.stringify([lines, [...ofCode]]);
    if (told === known) return;
    known = told;
    await onProblems(lines, ofCode);
  }

  return createLoop(async (stopping) => {
    while (!stopping.aborted) {
      await look(stopping);
      const hasCode = [...faculties()].some(({ engage }) => engage.mode === 'code');
      await clock.sleep(hasCode ? CODE_PAUSE_MS : PAUSE_MS, stopping);
    }
  });
}

async function problemsOf(
  needed: ReadonlyMap<string, readonly string[]>,
  code: ReadonlySet<string>,
  unanswered: string | null,
  { containers }: Pick<WatchedSandboxes, 'containers'>,
): Promise<{ readonly lines: readonly string[]; readonly ofCode: ReadonlyMap<string, string> }> {
  const lines: string[] = [];
  const ofCode = new Map<string, string>();
  for (const [image, names] of needed) {
    const problem = unanswered ?? (await containers.health(image)).problem;
    if (problem === null) continue;
    const others = names.filter((name) => !code.has(name));
    if (others.length > 0) lines.push(`containers of ${others.join(', ')}: ${problem}`);
    for (const name of names) if (code.has(name)) ofCode.set(name, problem);
  }
  return { lines, ofCode };
}
