/** One command that runs in the background: its process, and what it has printed since somebody last looked. */
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CapturedOutput, LaunchedProcess, ProcessEnd } from '../../process/process-host.ts';
import { captureOutput, type OutputCapture } from '../../process/supervisor/output-capture.ts';
import { MAX_STREAM_BYTES } from './command-report.ts';

/** A command in the background. */
export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  /** In milliseconds; 0: none. */
  readonly timeoutMs: number;
  /** How long it has run, or ran. */
  ranMs(): number;
  /** Null while it runs. */
  end(): ProcessEnd | null;
  /** Resolves when it has ended and all its output was read; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** What it has printed since the last call: of more than 16 KiB of a stream, the beginning and the end. */
  take(): { readonly stdout: CapturedOutput; readonly stderr: CapturedOutput };
  /** Stops it with everything that it started. */
  stop(): Promise<ProcessEnd>;
}

/**
 * A command may print this much at a time. One that prints more is slowed down, not blocked: it would otherwise keep the daemon busy
 * with output that is thrown away.
 */
const QUOTA_BYTES = 1024 * 1024;
const QUOTA_MS = 250;

/** Takes over a process that was launched. */
export function backgroundCommand(
  id: string,
  command: string,
  timeoutMs: number,
  process: LaunchedProcess,
): BackgroundCommand {
  const startedMs = performance.now();
  let captures = freshCaptures();
  let end: ProcessEnd | null = null;
  let endedMs = 0;
  const { stdout, stderr } = process;
  const streams = { stdout, stderr };
  let quota = QUOTA_BYTES;
  let pause: NodeJS.Timeout | null = null;

  const resume = (): void => {
    if (pause !== null) clearTimeout(pause);
    pause = null;
    quota = QUOTA_BYTES;
    for (const stream of [stdout, stderr]) stream.resume();
  };
  for (const name of ['stdout', 'stderr'] as const) {
    // Decoded, so that a chunk that ends within a character is not cut there by a look at the output.
    streams[name].setEncoding('utf8').on('data', (text: string) => {
      captures[name].add(Buffer.from(text));
      quota -= text.length;
      if (quota > 0 || pause !== null || end !== null) return;
      for (const stream of [stdout, stderr]) stream.pause();
      pause = setTimeout(resume, QUOTA_MS).unref();
    });
  }
  const read = Promise.all([finished(stdout), finished(stderr)].map((all) => all.catch(() => undefined)));

  const ending = async (): Promise<ProcessEnd> => {
    const how = await process.exited;
    endedMs = performance.now();
    resume();
    await read;
    end = how;
    return how;
  };
  const ended = ending();

  return {
    id,
    command,
    timeoutMs,
    ended,
    ranMs: () => (endedMs === 0 ? performance.now() : endedMs) - startedMs,
    end: () => end,
    take() {
      const taken = { stdout: captures.stdout.finish(), stderr: captures.stderr.finish() };
      captures = freshCaptures();
      return taken;
    },
    async stop() {
      void process.stop();
      return ended;
    },
  };
}

/** Waits for the end of a command, and no longer than so many milliseconds. Rejects when the signal aborts. */
export async function endOrTime({ ended }: BackgroundCommand, ms: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  await Promise.race([ended, sleep(ms, undefined, { signal: either }).catch(() => undefined)]);
  over.abort();
  signal.throwIfAborted();
}

function freshCaptures(): { readonly stdout: OutputCapture; readonly stderr: OutputCapture } {
  return { stdout: captureOutput(MAX_STREAM_BYTES), stderr: captureOutput(MAX_STREAM_BYTES) };
}
