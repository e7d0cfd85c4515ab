/** The skills of a daemon: loaded at start, and kept up to date with the directories. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { loadInSteps } from '../../catalog/skills/load-skills.ts';
import { cleanUpSkills } from '../../catalog/skills/place-skill.ts';
import type { ReadSkill } from '../../catalog/skills/read-skill.ts';
import { NO_SKILLS, type SkillLibrary } from '../../catalog/skills/skill.ts';
import { messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { createWake } from '../../core/lifecycle/wake.ts';
import type { Log } from '../../telemetry/log.ts';
import { keepLastGood, leftOutLines, reportChange } from './library-change.ts';

/** Where foci find the skills. */
export interface SkillShelf extends Service {
  /**
   * The newest library. Before `ready` it may be empty. A focus takes it once and keeps it: a later change gives another library and leaves
   * this one as it is.
   */
  current(): SkillLibrary;
  /** The newest library, once the first load is complete. Never rejects. */
  ready(): Promise<SkillLibrary>;
  /** Reads what has changed, now, and resolves with the library that contains every change made before the call. */
  refresh(): Promise<SkillLibrary>;
}

export interface ShelfOptions {
  /** Absolute; the first wins a collision. Directories that do not exist yet are also watched for. */
  readonly directories: readonly string[];
  /** Called after each change, also after the first load. Must not throw. */
  readonly onChange?: (library: SkillLibrary) => void;
  /** Gets the skills that were left out, whenever these change, as lines for `status`. Never rejects. */
  readonly onProblems?: (problems: readonly string[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** How often to read without a notification; default 2,000 ms, and at most 2 % of the time is spent on it. */
  readonly pollMs?: number;
}

/** A very large library is read at least this often. */
const MOST_POLL_MS = 60_000;
/** How many folders the start reads. Beyond them, the rest is loaded while the daemon serves. */
const START_FOLDERS = 100;
/** How long other things wait for a slice of a load. */
const SLICE_MS = 8;
/** An editor writes a file in several steps, and a copy takes a while: wait until it is done. */
const SETTLE_MS = 100;

/** A shelf of these directories. Without directories it stays empty and costs nothing. */
export function createShelf(options: ShelfOptions): SkillShelf {
  const { directories, clock, log, pollMs = 2000, onChange = () => {}, onProblems = async () => {} } = options;
  const known = new Map<string, ReadSkill>();
  const wake = createWake(clock);
  const loop = createLoop(run);
  const { stopping } = loop;
  const watchers = new Map<string, FSWatcher>();
  let library: SkillLibrary = NO_SKILLS;
  let isFirst = true;
  let reported: readonly string[] = [];
  let lastLoadMs = 0;
  // Loads run one after the other, so that each sees what was changed before it was asked for.
  let loading: Promise<unknown> = Promise.resolve();

  async function load(): Promise<void> {
    const steps = loadInSteps(directories, { known });
    let atOnce = isFirst ? START_FOLDERS : 0;
    let busyMs = 0;
    let begun = performance.now();
    for (let step = steps.next(); ; step = steps.next()) {
      const spentMs = performance.now() - begun;
      if (step.done === true) {
        lastLoadMs = busyMs + spentMs;
        take(step.value);
        return;
      }
      if (--atOnce >= 0 || spentMs < SLICE_MS) continue;
      if (stopping.aborted) return;
      busyMs += spentMs;
      await setImmediate();
      begun = performance.now();
    }
  }

  function take(loaded: SkillLibrary): void {
    const next = keepLastGood(library, loaded);
    const wasFirst = isFirst;
    isFirst = false;
    if (!wasFirst && isSame(library, next)) return;
    reportChange(library, next, log, wasFirst);
    library = next;
    onChange(next);
  }

  async function reportProblems(): Promise<void> {
    const lines = leftOutLines(library);
    if (isDeepStrictEqual(lines, reported)) return;
    reported = lines;
    await onProblems(lines);
  }

  function loadNext(): Promise<SkillLibrary> {
    if (directories.length === 0) return Promise.resolve(library);
    const next = loading.then(load).then(() => library);
    loading = next;
    return next;
  }

  async function run(): Promise<void> {
    await loading;
    await reportProblems();
    while (!stopping.aborted) {
      watchDirectories();
      await wake.wait(Math.max(pollMs, Math.min(lastLoadMs * 50, MOST_POLL_MS)), stopping);
      await clock.sleep(SETTLE_MS, stopping);
      if (!stopping.aborted) await loadNext();
      await reportProblems();
    }
  }

  /** New and removed skills are noticed at once; changes inside one by polling. */
  function watchDirectories(): void {
    for (const directory of directories) {
      if (watchers.has(directory) || !existsSync(directory)) continue;
      try {
        const watcher = watch(directory, { persistent: false }, () => wake.ring());
        watchers.set(directory, watcher);
        const lost = () => {
          watcher.close();
          watchers.delete(directory);
        };
        watcher.on('error', lost);
      } catch (error) {
        log.debug({ directory, error: messageOf(error) }, 'cannot watch a directory of skills; polling it instead');
      }
    }
  }

  /** A daemon that was killed while it replaced a skill may have left it aside. */
  async function cleanUp(): Promise<void> {
    for (const directory of directories.filter((each) => existsSync(each))) {
      try {
        await cleanUpSkills(directory, clock.nowMs());
      } catch (error) {
        log.warn({ directory, error: messageOf(error) }, 'could not clean up a directory of skills');
      }
    }
  }

  return {
    current: () => library,
    ready: () => (isFirst ? loading.then(() => library) : Promise.resolve(library)),
    refresh: () => loadNext(),
    async start() {
      if (directories.length === 0) return;
      await cleanUp();
      const first = loadNext();
      await loop.start();
      await Promise.race([first, setImmediate()]);
    },
    async stop() {
      await loop.stop();
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

function isSame(before: SkillLibrary, after: SkillLibrary): boolean {
  if (before.skills.size !== after.skills.size) return false;
  for (const [name, skill] of after.skills) if (before.skills.get(name) !== skill) return false;
  return isDeepStrictEqual(before.problems, after.problems);
}
