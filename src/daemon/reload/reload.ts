/** Hot reload of the faculties: a change in their directory takes effect with the next claim. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Faculties } from '../../catalog/faculties.ts';
import { messageOf } from '../../core/errors/errors.ts';
import type { Problem } from '../../core/errors/problem.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { createWake } from '../../core/lifecycle/wake.ts';
import type { Log } from '../../telemetry/log.ts';

export interface FacultyWatchOptions {
  /** Absolute. Files directly in it are watched; changes of files they refer to (prompts, hooks) are found by polling. */
  readonly directory: string;
  /** The faculties at start. */
  readonly initial: Faculties;
  /** Reads the directory; never rejects because of its content. */
  readonly load: () => Promise<Faculties>;
  /**
   * Called on each change, with the last good version of each broken faculty. When it rejects, it is called again after the next
   * poll.
   */
  readonly onChange: (faculties: Faculties) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** How often to read without a change notification; default 10,000 ms. */
  readonly pollMs?: number;
}

/** An editor writes a file in several steps: wait until it is done. */
const SETTLE_MS = 150;

export interface FacultyWatch extends Service {
  /** Reads the directory again soon: what the faculties are checked with has changed. */
  look(): void;
}

/** Watches and polls: a watch can be lost (a replaced directory, no watches left, a network file system); polling is only slower. */
export function watchFaculties(options: FacultyWatchOptions): FacultyWatch {
  const { clock, log, directory, pollMs = 10_000 } = options;
  const wake = createWake(clock);
  const loop = createLoop(run);
  let watcher: FSWatcher | null = null;
  let current = options.initial;

  async function run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      watcher ??= watchDirectory();
      await wake.wait(pollMs, stopping);
      await clock.sleep(SETTLE_MS, stopping);
      if (!stopping.aborted) await reload();
    }
  }

  async function reload(): Promise<void> {
    const next = keepLastGood(current, await options.load());
    if (isDeepStrictEqual(next, current)) return;
    try {
      await options.onChange(next);
    } catch (error) {
      log.error({ error: messageOf(error) }, 'could not register the changed faculties; trying again');
      return;
    }
    reportChange(current, next, log);
    current = next;
  }

  function watchDirectory(): FSWatcher | null {
    try {
      const opened = watch(directory, { persistent: false }, () => wake.ring());
      const lost = () => {
        opened.close();
        if (watcher === opened) watcher = null;
      };
      return opened.on('error', lost);
    } catch (error) {
      log.debug({ directory, error: messageOf(error) }, 'cannot watch the faculties directory; polling it instead');
      return null;
    }
  }

  return {
    start: loop.start,
    look: () => wake.ring(),
    async stop() {
      await loop.stop();
      watcher?.close();
    },
  };
}

/**
 * The loaded faculties, plus the previous version of each faculty whose file is now broken or whose name has become
 * ambiguous. Not of one that a setting forbids: it is served again when the setting allows it, as after a start.
 */
export function keepLastGood(before: Faculties, loaded: Faculties): Faculties {
  const faculties = new Map(loaded.faculties);
  for (const [name, faculty] of before.faculties) {
    if (faculties.has(name) || !existsSync(faculty.file)) continue;
    if (loaded.problems.some((problem) => concerns(problem, faculty.file, name))) faculties.set(name, faculty);
  }
  return { faculties, problems: loaded.problems };
}

function concerns(problem: Problem, file: string, name: string): boolean {
  if ('setting' in problem.details) return false;
  if (problem.file === file) return true;
  // The whole directory cannot be read, or another file claims the name.
  const unreadable = problem.code === 'config.unreadable' && file.startsWith(`${problem.file}/`);
  return unreadable || (problem.code === 'config.conflict' && problem.details['name'] === name);
}

function reportChange(before: Faculties, after: Faculties, log: Log): void {
  const added = [...after.faculties.keys()].filter((name) => !before.faculties.has(name));
  const removed = [...before.faculties.keys()].filter((name) => !after.faculties.has(name));
  const changed = [...after.faculties].flatMap(([name, faculty]) => {
    const old = before.faculties.get(name);
    return old !== undefined && !isDeepStrictEqual(old, faculty) ? [name] : [];
  });
  log.info({ added, changed, removed }, 'reloaded the faculties');
  const known = new Set(before.problems.map(({ message }) => message));
  // A faculty that was loaded now is another object.
  const kept = [...after.faculties].filter(([name, faculty]) => before.faculties.get(name) === faculty);
  for (const problem of after.problems) {
    if (known.has(problem.message)) continue;
    const stays = kept.some(([name, { file }]) => concerns(problem, file, name));
    const said = stays ? 'a faculty file is broken; its last good version stays' : 'faculty not loaded';
    log.error({}, `${said}: ${problem.message}`);
  }
}
