/** The daemon's end of the streams of a launched process: messages of the supervisor become Node streams. */
import { Readable, Writable } from 'node:stream';
import type { LaunchedProcess, LaunchSpec, ProcessEnd } from '../process-host.ts';
import type { OutputStream, StreamInput, StreamOutput } from '../supervisor/supervisor-protocol.ts';

/** The streams of one process. */
export interface LaunchStreams extends Pick<LaunchedProcess, 'stdin' | 'stdout' | 'stderr'> {
  receive(message: StreamOutput): void;
  /** The process has ended: ends the output after what was received, and fails writes. */
  end(): void;
}

/** Creates them; `send` reaches the supervisor. */
export function createStreams(
  id: number,
  input: LaunchSpec['stdin'],
  send: (message: StreamInput) => void,
): LaunchStreams {
  const outputs = { stdout: createOutput('stdout'), stderr: createOutput('stderr') };
  const stdin = input === 'pipe' ? createInput(id, send) : null;

  /** Tells the supervisor that bytes were taken as soon as the buffer of the stream has room for more. */
  function createOutput(stream: OutputStream) {
    let owed = 0;
    const take = (): void => {
      if (owed > 0) send({ type: 'taken', id, stream, bytes: owed });
      owed = 0;
    };
    const readable = new Readable({ read: take });
    return {
      readable,
      add(chunk: Buffer) {
        owed += chunk.length;
        // Nobody reads a stream that was destroyed, but the process must not be blocked by that.
        if (readable.destroyed || readable.push(chunk)) take();
      },
    };
  }

  return {
    stdin: stdin?.writable ?? null,
    stdout: outputs.stdout.readable,
    stderr: outputs.stderr.readable,
    receive(message) {
      switch (message.type) {
        case 'output':
          return outputs[message.stream].add(Buffer.from(message.data, 'base64'));
        case 'written':
          return stdin?.answer(null);
        case 'input_closed':
          return stdin?.answer(new Error('the process has closed its input'));
        default:
          throw new Error(`unknown message ${JSON.stringify(message satisfies never)}`);
      }
    },
    end() {
      for (const { readable } of Object.values(outputs)) readable.push(null);
      stdin?.writable.destroy();
      stdin?.answer(new Error('the process has ended'));
    },
  };
}

/** The largest part of a write that travels as one message. */
const PART_BYTES = 64 * 1024;

interface Input {
  readonly writable: Writable;
  /** Answers the oldest open part. */
  answer(problem: Error | null): void;
}

function createInput(id: number, send: (message: StreamInput) => void): Input {
  let answered: ((problem: Error | null) => void) | null = null;
  const write = (chunk: Buffer, done: (error?: Error | null) => void): void => {
    const part = chunk.subarray(0, PART_BYTES);
    answered = (problem) => {
      answered = null;
      if (problem !== null || part.length === chunk.length) done(problem);
      else write(chunk.subarray(PART_BYTES), done);
    };
    send({ type: 'input', id, data: part.toString('base64') });
  };
  const writable = new Writable({
    write: (chunk: Buffer, _encoding, done) => write(chunk, done),
    // Also after its end.
    destroy(problem, done) {
      send({ type: 'input', id, data: null });
      done(problem);
    },
  });
  // A failed write reports to its own callback; without a listener, the event would end the daemon.
  writable.on('error', () => {});
  return { writable, answer: (problem) => answered?.(problem) };
}

/** A process that was not launched: its streams are at their end. */
export function neverLaunched(spec: LaunchSpec, ended: ProcessEnd['ended'], problem: string): LaunchedProcess {
  const streams = createStreams(0, spec.stdin, () => {});
  streams.end();
  const end: ProcessEnd = { ended, exitCode: null, signal: null, durationMs: 0, problem };
  const { stdin, stdout, stderr } = streams;
  const exited = Promise.resolve(end);
  return { stdin, stdout, stderr, exited, stop: () => exited };
}
