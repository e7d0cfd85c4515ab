/** The streams of a run: those of `run` are files and captures, those of `launch` are messages to and from the daemon. */
import type { Writable } from 'node:stream';
import type { InputSource } from './open-input.ts';
import { captureStreams, forwardStreams, type RunOutput } from './run-output.ts';
import type { FromSupervisor, OutputStream, ToSupervisor } from './supervisor-protocol.ts';

/** Input and output of one run. */
export interface RunIo {
  readonly input: InputSource;
  readonly output: RunOutput;
  /** The daemon has taken this many bytes of a stream. */
  taken(stream: OutputStream, bytes: number): void;
}

/** Makes the streams that a message asks for. */
export function ioOf(
  message: Extract<ToSupervisor, { type: 'run' | 'launch' }>,
  send: (message: FromSupervisor) => void,
): RunIo {
  if (message.type === 'run') {
    const { stdin, maxOutputBytes } = message.spec;
    const input = stdin === undefined ? 'none' : { text: stdin };
    return { input, output: captureStreams(maxOutputBytes), taken: () => {} };
  }
  const output = forwardStreams(message.id, send);
  return { input: message.spec.stdin, output, taken: output.taken };
}

/** Writes to the standard input of a launched process, or closes it. Answers each write when the system has taken it. */
export function writeInput(
  { id, data }: Extract<ToSupervisor, { type: 'input' }>,
  stdin: Writable | null,
  send: (message: Extract<FromSupervisor, { type: 'written' | 'input_closed' }>) => void,
): void {
  if (data === null) return void stdin?.end();
  if (!stdin?.writable) return send({ type: 'input_closed', id });
  stdin.write(Buffer.from(data, 'base64'), (error) => send({ type: error ? 'input_closed' : 'written', id }));
}
