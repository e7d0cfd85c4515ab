/** The daemon of a session on the embedded database where no other runs. Load it when it is needed: with it, the providers are loaded. */

import { closeSync, existsSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { usageError } from '../../../core/errors/errors.ts';
import { interruption } from '../../../core/errors/interruption.ts';
import { runDaemon } from '../../../daemon/daemon.ts';
import { logLibraryOutput } from '../../../telemetry/library-output.ts';
import { openLog } from '../../../telemetry/log.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { facultiesDirectory } from '../../../terminal/command/faculties-directory.ts';
import { skillsDirectories } from '../../../terminal/command/skills-directories.ts';
import { version } from '../../../terminal/command/version.ts';
import { loadFeatures } from '../../features.ts';

export interface OwnDaemon {
  /** Aborted when it has ended; its reason is the error, if there was one. */
  readonly ended: AbortSignal;
  /** Stops it at once: answers that it gives return to the queue, with no attempt used up. */
  stop(): Promise<void>;
}

/** The log would stand between the words of the conversation. Each session begins it anew. */
const LOG_FILE = 'chat-daemon.log';

/**
 * Resolves when it is ready for work; `signal` gives up before. It serves no HTTP and does not read its configuration again. Errors: those of
 * `runDaemon`, `usage.invalid`, `interrupted`.
 */
export async function startOwnDaemon(invocation: Invocation, signal: AbortSignal): Promise<OwnDaemon> {
  const config = await invocation.config();
  const facultiesDir = await facultiesDirectory(invocation, undefined);
  requireFaculties(facultiesDir);
  const skillsDirs = await skillsDirectories(invocation, undefined);
  mkdirSync(config.home, { recursive: true, mode: 0o700 });
  const file = openSync(join(config.home, LOG_FILE), 'w', 0o600);
  // Something may still be logged when it has ended.
  let open = true;
  const write = (line: string) => void (open && writeSync(file, line));
  const stopping = new AbortController();
  const ended = new AbortController();
  const ready = Promise.withResolvers<void>();
  const log = openLog({ level: config.logLevel, format: 'json', destination: { write } });
  const printAgain = logLibraryOutput(log);
  const running = runDaemon(
    {
      parts: await loadFeatures(),
      config,
      version: version(),
      facultiesDir,
      skillsDirs,
      log,
      onReady: () => ready.resolve(),
    },
    { drain: stopping.signal, abort: stopping.signal },
  )
    .then(
      () => ready.reject(interruption()),
      (error: unknown) => {
        ready.reject(error);
        ended.abort(error);
      },
    )
    .finally(() => {
      printAgain();
      ended.abort();
      open = false;
      closeSync(file);
    });
  const giveUp = () => stopping.abort('the session ends');
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  await ready.promise.finally(() => signal.removeEventListener('abort', giveUp));
  return {
    ended: ended.signal,
    async stop() {
      stopping.abort('the session ends');
      await running;
    },
  };
}

function requireFaculties(directory: string): void {
  if (existsSync(directory) && readdirSync(directory).some((name) => name.endsWith('.toml'))) return;
  const detail = `no daemon is running, and there are no faculties in ${directory} for this session to run; to write the first: animus init`;
  throw usageError(detail);
}
