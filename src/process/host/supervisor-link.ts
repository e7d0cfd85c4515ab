/** The daemon's handle of the supervisor: a child process in its own session, with an IPC channel. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../core/errors/errors.ts';
import type { FromSupervisor, ToSupervisor } from '../supervisor/supervisor-protocol.ts';

/** A started supervisor. */
export interface SupervisorLink {
  /** Queues a message; one that can no longer be delivered is dropped, since `ended` follows. */
  send(message: ToSupervisor): void;
  /** Makes it kill and report every run, and resolves when it has exited; kills it after 10 s. */
  stop(): Promise<void>;
  /** SIGKILL. */
  kill(): void;
  /** Whether it keeps this process alive: while something runs. */
  ref(): void;
  unref(): void;
}

/** Why a supervisor has ended; `started` is false when it could not be started. */
export interface SupervisorEnd {
  readonly started: boolean;
  readonly detail: string;
}

/** The events of a supervisor: its messages, and its end, once. */
export interface SupervisorEvents {
  receive(message: FromSupervisor): void;
  ended(end: SupervisorEnd): void;
}

const STOP_MS = 10_000;
const STDERR_TAIL = 2000;
/** Its exit may be known before its last messages have been read. */
const LAST_WORDS_MS = 500;

/** Starts one. It never throws: a supervisor that cannot start has `ended` like any other. */
export function startSupervisor(events: SupervisorEvents, args: readonly string[] = []): SupervisorLink {
  // Beside this file in either form: as TypeScript in a clone, stripped to JavaScript in a package.
  const file = fileURLToPath(new URL(`../supervisor/supervisor-main${extname(import.meta.filename)}`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], {
    cwd: '/',
    // Its environment can be read by what it runs unisolated, so there is nothing of the daemon's in it. Reads of /proc
    // wait in threads, and on a host that is overrun they wait long.
    env: { UV_THREADPOOL_SIZE: '32' },
    // Ctrl-C in a terminal and a kill of the daemon's group do not reach it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exited = endOf(child);
  void exited.then(events.ended);
  child.on('message', (message: FromSupervisor) => events.receive(message));
  unrefAll(child);

  return {
    send(message) {
      if (child.connected) child.send(message, () => {});
    },
    async stop() {
      child.ref();
      if (child.connected) child.send({ type: 'stop' } satisfies ToSupervisor, () => {});
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(timer);
    },
    kill: () => child.kill('SIGKILL'),
    ref: () => {
      child.ref();
      child.channel?.ref();
    },
    unref: () => unrefAll(child),
  };
}

/** Resolves when it has ended and all its messages have been received; never rejects. */
async function endOf(child: ChildProcess): Promise<SupervisorEnd> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-STDERR_TAIL);
  });
  const end = await new Promise<SupervisorEnd>((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ started: false, detail: messageOf(error) });
    });
    // `exit`, not `close`: killing its leftovers must not be delayed.
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
