/** The daemon's handle to the supervisor: a child process in its own session, with an IPC channel. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../core/errors/errors.ts';
import type { FromSupervisor, ToSupervisor } from '../supervisor/supervisor-protocol.ts';

/** A started supervisor. */
export type SupervisorLink = HelperLink<ToSupervisor>;

/** A started helper process. */
export interface HelperLink<To> {
  /** Queues a message. A message that can no longer be delivered is dropped, because `ended` follows. */
  send(message: To): void;
  /** Asks it to end and report everything that it holds, and resolves when it has exited. Kills it after 10 s. */
  stop(): Promise<void>;
  /** Sends SIGKILL. */
  kill(): void;
  /** Keeps this process's event loop alive, until `unref`. */
  ref(): void;
  unref(): void;
}

/** Why a supervisor ended; `started` is false if it could not be started. */
export interface SupervisorEnd {
  readonly started: boolean;
  readonly detail: string;
}

/** The events of a helper process: its messages and, once, its end. */
export interface HelperEvents<From> {
  receive(message: From): void;
  ended(end: SupervisorEnd): void;
}

const STOP_MS = 10_000;
const STDERR_TAIL = 2000;
/** The exit can be reported before the last messages have been read. */
const LAST_WORDS_MS = 500;

/** Starts a supervisor. Never throws: if it cannot start, `ended` is called. */
export function startSupervisor(events: HelperEvents<FromSupervisor>, args: readonly string[] = []): SupervisorLink {
  return startHelper(new URL('../supervisor/supervisor-main', import.meta.url), events, args);
}

/** Starts the program `main` (without its extension), which answers `{ type: 'stop' }` by exiting. Never throws: if it cannot start, `ended` is called. */
export function startHelper<From, To>(
  main: URL,
  events: HelperEvents<From>,
  args: readonly string[] = [],
): HelperLink<To | { readonly type: 'stop' }> {
  // TypeScript in a clone, JavaScript in a package: the same extension as this file.
  const file = fileURLToPath(main) + extname(import.meta.filename);
  const child = spawn(process.execPath, [file, ...args], {
    cwd: '/',
    // Commands without isolation can read the supervisor's environment, so it contains nothing from the daemon's.
    // Reads of /proc block threads of the pool, and on an overloaded host they block for long.
    env: { UV_THREADPOOL_SIZE: '32' },
    // In its own session, Ctrl-C in a terminal and signals to the daemon's process group do not reach it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exited = endOf(child);
  void exited.then(events.ended);
  child.on('message', (message) => events.receive(message as From));
  unrefAll(child);

  return {
    send(message) {
      if (child.connected) child.send(message as object, () => {});
    },
    async stop() {
      child.ref();
      if (child.connected) child.send({ type: 'stop' }, () => {});
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(timer);
    },
    kill: () => child.kill('SIGKILL'),
    ref: () => child.ref(),
    unref: () => unrefAll(child),
  };
}

/** Resolves when it has exited and all its messages have been received; never rejects. */
async function endOf(child: ChildProcess): Promise<SupervisorEnd> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-STDERR_TAIL);
  });
  const end = await new Promise<SupervisorEnd>((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ started: false, detail: messageOf(error) });
    });
    // `exit` rather than `close`, so that killing its remaining processes is not delayed.
    child.once('exit', (code, signal) => resolve({ started: true, detail: signal ?? `exit code ${code}` }));
  });
  if (child.connected && end.started) await Promise.race([once(child, 'disconnect'), sleep(LAST_WORDS_MS)]);
  return said === '' ? end : { ...end, detail: `${end.detail}: ${said.trim()}` };
}

function unrefAll(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  (child.stderr as { unref?(): void } | null)?.unref?.();
}
