/** Keeps the files of skills that work has written in step with the rows, and reports which skills this daemon has. */
import type { SkillLibrary } from '../../catalog/skills/skill.ts';
import { messageOf } from '../../core/errors/errors.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { createWake } from '../../core/lifecycle/wake.ts';
import { readWrittenSkills, reportSkills } from '../../store/skills/written-skills.ts';
import type { ServiceBase } from '../parts/service-base.ts';
import type { SkillShelf } from './shelf.ts';
import { writeSkills } from './write-skills.ts';

interface WritingDaemon extends ServiceBase {
  readonly host: string;
  /** Absolute; files are written into the first. Without directories nothing is done. */
  readonly directories: readonly string[];
  readonly shelf: Pick<SkillShelf, 'ready' | 'refresh'>;
  /** How many days without use make a skill stale. */
  readonly staleDays: number;
  /** Gets all problems whenever they have changed. Never rejects. */
  readonly onProblems: (problems: readonly string[]) => Promise<void>;
}

/** Rings when another version of a skill is current, or the library has changed. */
export interface WrittenSkills extends Service {
  ring(): void;
}

/** A notification may be missed, and a file may be deleted. */
const LOOK_MS = 60_000;
/** So that the report of this place is not taken for one of a daemon that is gone. */
const REPORT_MS = 6 * 3_600_000;
/** How long the start waits for the first round, so that the first foci find what was written while no daemon ran. */
const START_MS = 2000;

export function createWrittenSkills(daemon: WritingDaemon): WrittenSkills {
  const { db, clock, log, shelf, directories } = daemon;
  const [root] = directories;
  const place = [daemon.host, ...directories].join(':');
  const wake = createWake(clock);
  const first = Promise.withResolvers<void>();
  const loop = createLoop(run);
  let known = '';
  let reported: SkillLibrary | null = null;
  let reportedMs = 0;

  async function run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      try {
        await round();
      } catch (error) {
        log.warn(
          { error: messageOf(error) },
          'the files of written skills could not be compared with the database; the next round tries again',
        );
      }
      first.resolve();
      await wake.wait(LOOK_MS, stopping);
    }
  }

  async function round(): Promise<void> {
    const skills = await readWrittenSkills(db);
    let library = await shelf.ready();
    const { changed, problems } = await writeSkills(db, root!, skills, library);
    if (changed.length > 0) {
      log.info({ skills: changed.slice(0, 50), directory: root }, 'wrote the files of skills that work has written');
      library = await shelf.refresh();
    }
    if (library !== reported || clock.monotonicMs() - reportedMs > REPORT_MS) await report(library);
    if (problems.join('\n') === known) return;
    known = problems.join('\n');
    for (const problem of problems) log.warn({}, problem);
    await daemon.onProblems(problems);
  }

  async function report(library: SkillLibrary): Promise<void> {
    const skills = [...library.skills.values()].map(({ name, origin, contentHash }) => ({
      name,
      origin,
      hash: contentHash,
    }));
    await reportSkills(db, place, skills, daemon.staleDays);
    reported = library;
    reportedMs = clock.monotonicMs();
  }

  return {
    stop: loop.stop,
    ring: () => wake.ring(),
    async start() {
      if (root === undefined) return;
      await loop.start();
      await Promise.race([first.promise, clock.sleep(START_MS, loop.stopping)]);
    },
  };
}
