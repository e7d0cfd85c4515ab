/** The commands that a focus runs in the background. They live in this process alone: a process that resumes the focus has none of them. */
import type { CommandHost, CommandSpec } from '../../process/process-host.ts';
import { type BackgroundCommand, backgroundCommand } from './background-command.ts';

/** The background commands of one focus. */
export interface BackgroundCommands {
  /** Starts one. Never throws: one that cannot start has ended at once. The caller keeps to `MAX_RUNNING`. */
  start(request: StartCommand): BackgroundCommand;
  /** Those that run, and those that ended and were not forgotten, oldest first. */
  all(): readonly BackgroundCommand[];
  running(): readonly BackgroundCommand[];
  /** Forgets one that has ended. */
  forget(id: string): void;
  /** Stops all of them with everything that they started, and starts none any more. Idempotent. */
  close(): Promise<void>;
}

export interface StartCommand extends Pick<BackgroundCommand, 'id' | 'command' | 'timeoutMs'> {
  readonly spec: CommandSpec;
  readonly processes: CommandHost;
}

/** How many may run at once. */
export const MAX_RUNNING = 8;
/** How many are kept that have ended and were not looked at. */
const MAX_ENDED = 32;

export function createBackgroundCommands(): BackgroundCommands {
  const stopping = new AbortController();
  const commands = new Map<string, BackgroundCommand>();
  const running = new Set<Promise<unknown>>();
  const all = () => [...commands.values()];

  return {
    start({ id, command, spec, timeoutMs, processes }) {
      const bounded = { ...spec, stdin: 'none' as const, ...(timeoutMs > 0 && { timeoutMs }) };
      const launched = processes.launch(bounded, stopping.signal);
      const started = backgroundCommand(id, command, timeoutMs, launched);
      const ended = all().filter((each) => each.end() !== null);
      for (const old of ended.slice(0, Math.max(0, ended.length - MAX_ENDED + 1))) commands.delete(old.id);
      commands.set(id, started);
      running.add(started.ended);
      void started.ended.then(() => running.delete(started.ended));
      return started;
    },
    all,
    running: () => all().filter((each) => each.end() === null),
    forget: (id) => void commands.delete(id),
    async close() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
