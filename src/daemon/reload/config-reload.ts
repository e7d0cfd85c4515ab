/** Hot reload of animus.toml: live settings take effect within seconds; changes that need a restart are reported. */

import type { Config } from '../../core/config/config.ts';
import { changedSettings, isLive, withLiveSettings } from '../../core/config/live-settings.ts';
import { AnimusError, messageOf } from '../../core/errors/errors.ts';
import { readSmallFile } from '../../core/files/regular-file.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { Log } from '../../telemetry/log.ts';

export interface ConfigWatchOptions {
  /**
   * The configuration at start; its file is watched. Without a file nothing is watched: a file that appears later takes effect
   * after a restart.
   */
  readonly initial: Config;
  /** Reads file and environment again. Errors: `config.*`. */
  readonly load: () => Config;
  /** Called on each change of a live setting, with the configuration that holds from now on. */
  readonly onChange: (config: Config) => void;
  /**
   * Called after each change with the problems of the file and the settings that need a restart; empty when all settings are
   * in effect.
   */
  readonly onProblems: (problems: readonly string[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** Default 2,000 ms. */
  readonly pollMs?: number;
}

/** Its text, or why it cannot be read. Never blocks: a pipe or device in its place is reported as a problem. */
function textOf(path: string): string {
  try {
    return readSmallFile(path);
  } catch (error) {
    return `cannot be read: ${messageOf(error)}`;
  }
}

export function watchConfig(options: ConfigWatchOptions): Service {
  const { initial, clock, log, pollMs = 2000 } = options;
  const { file } = initial;
  let current = initial;
  let seen: string | null = null;
  let told: readonly string[] = [];

  async function run(stopping: AbortSignal): Promise<void> {
    if (file === null) return;
    while (!stopping.aborted) {
      const text = textOf(file);
      if (text !== seen) await reload(file);
      seen = text;
      await clock.sleep(pollMs, stopping);
    }
  }

  async function reload(path: string): Promise<void> {
    const { problems, later } = takeOver(path);
    const lines = [...problems, ...later];
    for (const line of lines) if (!told.includes(line)) log[later.includes(line) ? 'warn' : 'error']({}, line);
    if (lines.length > 0 || seen !== null) await options.onProblems(lines);
    told = lines;
  }

  /** Returns what is wrong, and the settings that take effect later. */
  function takeOver(path: string): { readonly problems: readonly string[]; readonly later: readonly string[] } {
    try {
      const next = options.load();
      // The path is always the same, unless the file is gone: then the defaults would pass for a written configuration.
      if (next.file === null) throw new AnimusError('config.unreadable', { file: path, detail: 'it no longer exists' });
      const changed = changedSettings(current, next).filter((key) => isLive(key, initial));
      if (changed.length > 0) {
        log.info({ changed }, 'reloaded animus.toml');
        options.onChange(withLiveSettings(initial, next));
      }
      current = next;
      const later = changedSettings(initial, next).filter((key) => !isLive(key, initial));
      return {
        problems: [],
        later: later.map((key) => `${path}: ${key} was changed; it takes effect when this daemon is restarted`),
      };
    } catch (error) {
      return { problems: [`${messageOf(error)}; the previous settings stay in force`], later: [] };
    }
  }

  return createLoop(run);
}
