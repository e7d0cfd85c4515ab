/** What becomes of the output of a run: it is captured for the result, or sent to the daemon while the run lasts. */
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { CapturedOutput } from '../process-host.ts';
import { captureOutput, NO_OUTPUT } from './output-capture.ts';
import { type OutputStream, STREAM_WINDOW_BYTES, type StreamOutput } from './supervisor-protocol.ts';

/** Takes the output streams of one run. */
export interface RunOutput {
  /** Takes over a stream, and resolves when it has ended; never rejects. */
  drain(name: OutputStream, stream: Readable): Promise<void>;
  /** No process of the run is left: takes what is left in the pipes. */
  release(): void;
  /** The beginning of stderr, which says why an isolation could not be set up. */
  said(): string;
  /** What the result contains. */
  captured(): { readonly stdout: CapturedOutput; readonly stderr: CapturedOutput };
}

/** Captures up to `maxBytes` of each stream. */
export function captureStreams(maxBytes: number): RunOutput {
  const captures = { stdout: captureOutput(maxBytes), stderr: captureOutput(maxBytes) };
  return {
    drain: (name, stream) => ended(stream.on('data', (chunk: Buffer) => captures[name].add(chunk))),
    release: () => {},
    said: () => captures.stderr.finish().text,
    captured: () => ({ stdout: captures.stdout.finish(), stderr: captures.stderr.finish() }),
  };
}

/** A `RunOutput` whose reader says how much it has taken. */
export interface ForwardedOutput extends RunOutput {
  taken(name: OutputStream, bytes: number): void;
}

const SAID_BYTES = 4000;
/** What is left in a pipe when all writers are dead: kernels allow 1 MiB. Only an escaped process could write more. */
const MAX_REST_BYTES = 4 * 2 ** 20;

/**
 * Sends each chunk to the daemon, as output of `id`. While more than the window has been forwarded and not taken, the stream is not read, so
 * the process is blocked as soon as its pipe is full.
 */
export function forwardStreams(id: number, send: (message: StreamOutput) => void): ForwardedOutput {
  const said = captureOutput(SAID_BYTES);
  const streams = new Map<OutputStream, { readonly stream: Readable; open: number }>();
  let released = false;
  return {
    drain(name, stream) {
      const state = { stream, open: 0 };
      streams.set(name, state);
      let rest = 0;
      stream.on('data', (chunk: Buffer) => {
        if (name === 'stderr') said.add(chunk);
        if (released && (rest += chunk.length) > MAX_REST_BYTES) return void stream.destroy();
        state.open += chunk.length;
        send({ type: 'output', id, stream: name, data: chunk.toString('base64') });
        if (!released && state.open >= STREAM_WINDOW_BYTES) stream.pause();
      });
      return ended(stream);
    },
    taken(name, bytes) {
      const state = streams.get(name);
      if (!state) return;
      state.open -= bytes;
      if (state.open < STREAM_WINDOW_BYTES) state.stream.resume();
    },
    release() {
      released = true;
      for (const { stream } of streams.values()) stream.resume();
    },
    said: () => said.finish().text,
    captured: () => ({ stdout: NO_OUTPUT, stderr: NO_OUTPUT }),
  };
}

/** A broken pipe has delivered all its data; the exit status reports the failure. */
async function ended(stream: Readable): Promise<void> {
  await finished(stream, { writable: false }).catch(() => {});
}
