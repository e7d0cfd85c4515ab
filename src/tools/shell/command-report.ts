/** What a model reads of a command: how it ended, and what it printed. */
import type { CapturedOutput, ProcessEnd } from '../../process/process-host.ts';

/** Per stream, so at most 32 KiB in total. */
export const MAX_STREAM_BYTES = 16 * 1024;

/** How a command ended, in one line. `timeoutMs`: its time-out, if it had one. */
export function headline({ ended, exitCode, signal, problem }: ProcessEnd, timeoutMs: number): string {
  const note = problem === null ? '' : ` (${problem})`;
  switch (ended) {
    case 'exit':
      return `exit code ${exitCode}${note}`;
    case 'signal':
      return `killed by ${signal}${note}`;
    case 'timeout':
      return `timed out after ${timeoutMs / 1000} s and was killed together with everything it had started${note}`;
    case 'limit':
      return `stopped: ${problem}. It and everything it had started were killed`;
    case 'interrupted':
      return `interrupted${note}. It may or may not have happened; check before you repeat it.`;
    case 'unavailable':
    case 'aborted':
      return `aborted before it ended, and killed together with everything it had started${note}`;
    case 'not_started':
      return `could not be started${note}`;
    default:
      return ended satisfies never;
  }
}

/** The output of both streams, each under its name; nothing of a stream without output. */
export function sections({ stdout, stderr }: { readonly stdout: CapturedOutput; readonly stderr: CapturedOutput }) {
  return [...section('stdout', stdout), ...section('stderr', stderr)];
}

function section(name: string, output: CapturedOutput): readonly string[] {
  if (output.bytes === 0) return [];
  // Postgres stores no NUL, and models cannot read it, so show its symbol.
  const visible = output.text.replaceAll('\0', '\u2400');
  const text = visible.endsWith('\n') ? visible.slice(0, -1) : visible;
  return [output.truncated ? `${name} (${output.bytes} bytes, the middle left out):` : `${name}:`, text];
}
