/** Questions on a terminal. */
import { createInterface } from 'node:readline/promises';
import { AnimusError } from '../../core/errors/errors.ts';
import type { CliContext } from '../command/command.ts';

/** Asks a question and returns the answer, or the default for an empty one. */
export type Ask = (question: string, fallback: string) => Promise<string>;

/** Asks on a terminal; anywhere else, or when `quiet`, the default is the answer. Errors: `interrupted` (Ctrl-C). */
export function askFor({ stdin, stdout, signals }: CliContext, quiet: boolean): Ask {
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true && stdout.isTTY === true;
  if (quiet || !isTerminal) return async (_question, fallback) => fallback;
  return async (question, fallback) => {
    const lines = createInterface({ input: stdin, output: stdout as unknown as NodeJS.WritableStream });
    try {
      // Ctrl-C reaches readline in raw mode, not the process.
      const interrupted = new AbortController();
      lines.once('SIGINT', () => interrupted.abort());
      lines.once('close', () => interrupted.abort());
      const signal = AbortSignal.any([signals.drain, interrupted.signal]);
      const answer = await lines.question(`${question} [${fallback}]: `, { signal });
      return answer.trim() || fallback;
    } catch (error) {
      if ((error as Error).name === 'AbortError') throw new AnimusError('interrupted');
      throw error;
    } finally {
      lines.close();
    }
  };
}
