/** Finds the hooks that every faculty has: the executables in the hooks directory. */
import { accessSync, constants, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileFault } from '../../core/errors/errors.ts';
import { type Problem, problemAt } from '../../core/errors/problem.ts';
import { HOOK_EVENTS, type HookEvent } from '../../core/work/words.ts';
import { forEachEvent, type LoopHook, type LoopHooks, NO_LOOP_HOOKS } from '../faculty/loop-hooks.ts';

/** The hooks of a directory. With problems, no faculty may run: a hook that should have refused a call would be missing. */
export interface SharedHooks {
  readonly hooks: LoopHooks;
  readonly problems: readonly Problem[];
}

/** No hooks directory. */
const NO_SHARED_HOOKS: SharedHooks = { hooks: NO_LOOP_HOOKS, problems: [] };

const TIMEOUT_SECONDS = 30;

/**
 * Reads `DIRECTORY/EVENT/NAME` for each event of the loop. Every file whose name does not begin with a dot is a hook, in the order of the
 * names. A hook that fails blocks; its time-out is 30 s. Problems: other directories, files that are not executable, and what others than
 * the daemon's user and root may change. A directory that does not exist holds no hooks; if it is `required`, that is a problem, too.
 */
export function readHooksDirectory(directory: string, required = false): SharedHooks {
  const problems: Problem[] = [];
  const report = (file: string, detail: string) => {
    problems.push(problemAt('config.conflict', { file, line: null, key: 'hooks.directory' }, { detail }));
  };
  const names = visible(directory, report);
  if (names === null && required && problems.length === 0) report(directory, 'does not exist');
  if (names === null) return { ...NO_SHARED_HOOKS, problems };
  for (const name of names) {
    if (!isEvent(name)) report(join(directory, name), `is not an event; the events are ${HOOK_EVENTS.join(', ')}`);
  }
  const hooks = forEachEvent((event) => (names.includes(event) ? hooksOf(join(directory, event), report) : []));
  return { hooks, problems };
}

type Report = (file: string, detail: string) => void;

function hooksOf(directory: string, report: Report): LoopHook[] {
  return (visible(directory, report) ?? []).map((name) => {
    const command = join(directory, name);
    const problem = fileProblem(command);
    if (problem !== null) report(command, problem);
    return { name, command, args: [], timeoutSeconds: TIMEOUT_SECONDS, onError: 'block', tools: null };
  });
}

/** The names in a directory, in order, without hidden ones; null if it does not exist or may not be used. */
function visible(directory: string, report: Report): string[] | null {
  try {
    const stats = statSync(directory, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    if (!stats.isDirectory()) return (report(directory, 'is not a directory'), null);
    const foreign = whoElse(stats);
    if (foreign !== null) return (report(directory, foreign), null);
    return readdirSync(directory)
      .filter((name) => !name.startsWith('.'))
      .toSorted();
  } catch (error) {
    report(directory, fileFault(error));
    return null;
  }
}

function fileProblem(path: string): string | null {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return 'is not a file';
    accessSync(path, constants.X_OK);
    return whoElse(stats);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EACCES'
      ? `is not executable; run: chmod +x ${path}, or let its name begin with a dot`
      : fileFault(error);
  }
}

/** Why others could change it; null if only its owner, who is root or this user, and its group can. */
function whoElse(stats: Stats): string | null {
  const uid = process.getuid?.();
  if (uid === undefined) return null;
  if (stats.uid !== uid && stats.uid !== 0)
    return `belongs to another user (uid ${stats.uid}); only root and the daemon's user may own hooks`;
  return (stats.mode & constants.S_IWOTH) === 0 ? null : 'can be changed by every user; run chmod o-w on it';
}

function isEvent(name: string): name is HookEvent {
  return (HOOK_EVENTS as readonly string[]).includes(name);
}
