/** Prints what code prints: as it comes, and at the end what did not come. */
import { harmlessLines } from '../../core/text/harmless.ts';
import type { Invocation } from '../../terminal/command/command.ts';
import type { Sink } from '../../terminal/view/output.ts';

type Stream = 'stdout' | 'stderr';

/** What the outcome has of it. */
interface Printed extends Readonly<Record<Stream, string>> {
  readonly value?: unknown;
  readonly traceback?: string | undefined;
  readonly problem?: string | undefined;
}

/** A printer. A terminal gets no control characters of the code; a pipe gets everything. With --json it prints nothing. */
export function createPrinter({ context, output }: Pick<Invocation, 'context' | 'output'>) {
  const shown: Record<Stream, string> = { stdout: '', stderr: '' };
  const write = (stream: Stream, text: string): void => {
    const sink: Sink = context[stream];
    if (!output.json && text !== '') sink.write(sink.isTTY ? harmlessLines(text).join('\n') : text);
  };
  return {
    piece(stream: Stream, text: string): void {
      shown[stream] += text;
      write(stream, text);
    },
    /** The rest of both streams; of a stream that did not come whole, all that the outcome has. Then what was returned or raised. */
    rest(printed: Printed): void {
      for (const stream of ['stdout', 'stderr'] as const) {
        const whole = printed[stream];
        const came = shown[stream];
        if (came !== '' && !whole.startsWith(came))
          write('stderr', '\n[some of the output was lost; what is known of it:]\n');
        write(stream, whole.startsWith(came) ? whole.slice(came.length) : whole);
      }
      if (printed.value !== undefined) write('stdout', `${JSON.stringify(printed.value)}\n`);
      for (const text of [printed.traceback, printed.problem]) if (text !== undefined) write('stderr', `${text}\n`);
    },
  };
}
