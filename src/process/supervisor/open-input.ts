/** Opens the standard input of a run. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, constants, mkdtempSync, openSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { systemProgram } from '../runners/start-gate.ts';

/** Where a run's input comes from: nothing, a text, or writes while it runs. */
export type InputSource = 'none' | 'pipe' | { readonly text: string };

/** An opened input, to be passed to `spawn`. */
export interface OpenInput {
  readonly stdio: number | 'ignore' | 'pipe';
  /** The writing end, if this is a pipe of our own; with `stdio: 'pipe'`, it is the child's. */
  readonly writer: Writable | null;
  /** Closes what only the child needs, once it has been spawned. */
  release(): void;
}

/** Opens it. Throws what the file system throws. */
export function openInput(source: InputSource): OpenInput {
  if (source === 'none') return { stdio: 'ignore', writer: null, release: () => {} };
  return source === 'pipe' ? openPipe() : openText(source.text);
}

/** An unlinked file rather than a pipe: a command may read it late, partly or never, without blocking or breaking a writer. */
function openText(text: string): OpenInput {
  return inDirectory((directory) => {
    const file = join(directory, 'stdin');
    writeFileSync(file, text, { mode: 0o600 });
    const stdio = openSync(file, 'r');
    return { stdio, writer: null, release: () => closeSync(stdio) };
  });
}

/** A standard input whose text is written after the process was started. */
export interface LateText {
  /** For the process; to be closed once it was started. */
  readonly stdio: number;
  write(text: string): void;
  /** Idempotent. */
  close(): void;
}

/** Opens an unlinked file for it; Linux only. Throws what the file system throws. */
export function openLateText(): LateText {
  const path = join(tmpdir(), `animus-stdin-${randomUUID()}`);
  const writer = openSync(path, 'wx', 0o600);
  let open = true;
  const close = (): void => {
    if (open) closeSync(writer);
    open = false;
  };
  try {
    const stdio = openSync(`/proc/self/fd/${writer}`, 'r');
    return { stdio, write: (text) => writeFileSync(writer, text), close };
  } catch (error) {
    close();
    throw error;
  } finally {
    unlinkSync(path);
  }
}

/**
 * A named pipe that is unlinked at once. Node's own pipes are sockets, and if standard input is a socket, bash assumes a
 * remote login and sources ~/.bashrc.
 */
function openPipe(): OpenInput {
  const mkfifo = systemProgram('mkfifo');
  if (mkfifo === null) return { stdio: 'pipe', writer: null, release: () => {} };
  return inDirectory((directory) => {
    const path = join(directory, 'stdin');
    const { status, stderr, error } = spawnSync(mkfifo, ['-m', '600', path], {
      encoding: 'utf8',
      env: {},
      timeout: 5000,
    });
    if (error) throw error;
    if (status !== 0) throw new Error(`mkfifo failed: ${stderr.trim()}`);
    // Neither end can be opened without the other, except for both at once.
    const both = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      // The child gets an own description of the file, so that its input is not non-blocking as ours is.
      const stdio = openSync(path, constants.O_RDONLY);
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      return { stdio, writer: new Socket({ fd, readable: false, writable: true }), release: () => closeSync(stdio) };
    } finally {
      closeSync(both);
    }
  });
}

function inDirectory<T>(open: (directory: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), 'animus-stdin-'));
  try {
    return open(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
