/** Questions on a terminal. */
import { createInterface } from 'node:readline';
import { interruption } from '../../core/errors/interruption.ts';
import type { CliContext } from './command.ts';

/** Asks one after the other; `close` gives the terminal back. */
export interface Questions {
  /** False: every answer is the default. */
  readonly asks: boolean;
  /** The answer, or the default for an empty line and at the end of the input. Errors: `interrupted` (Ctrl-C). */
  ask(question: string, fallback: string): Promise<string>;
  close(): void;
}

/** Asks on a terminal; anywhere else, or when `quiet`, the default is the answer. */
export function openQuestions({ stdin, stdout, signals }: CliContext, quiet: boolean): Questions {
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true && stdout.isTTY === true;
  if (quiet || !isTerminal) return { asks: false, ask: async (_question, fallback) => fallback, close: () => {} };
  // One reader for all questions: lines that were typed ahead are answers to the next ones.
  const lines = createInterface({ input: stdin });
  const answers = lines[Symbol.asyncIterator]();
  const interrupted = Promise.withResolvers<never>();
  const interrupt = () => interrupted.reject(interruption('nothing was written'));
  // The end may come while no question is open.
  interrupted.promise.catch(() => {});
  if (signals.drain.aborted) interrupt();
  signals.drain.addEventListener('abort', interrupt, { once: true });
  return {
    asks: true,
    async ask(question, fallback) {
      stdout.write(`${question} [${fallback}]: `);
      const line = await Promise.race([answers.next(), interrupted.promise]);
      return (line.done === true ? '' : line.value.trim()) || fallback;
    },
    close() {
      signals.drain.removeEventListener('abort', interrupt);
      lines.close();
      stdin.destroy();
    },
  };
}
