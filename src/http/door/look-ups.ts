/** The look-ups of tokens that nobody has shown before: a few at once, so that a flood of wrong ones leaves connections to the database free. */
import { AnimusError } from '../../core/errors/errors.ts';

/** At most `most` run at once. The others wait, none is refused: each waits on a connection, whose number is limited. */
export function limitLookUps(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    /** Runs `look` when it is its turn, in order of arrival. A client that has left meanwhile is not asked about (`http.starting`). */
    async run<T>(signal: AbortSignal, look: () => Promise<T>): Promise<T> {
      if (running >= most) await new Promise<void>((begin) => waiting.push(begin));
      else running++;
      try {
        if (signal.aborted) throw new AnimusError('http.starting');
        return await look();
      } finally {
        const next = waiting.shift();
        // It takes over the place.
        if (next) next();
        else running--;
      }
    },
  };
}
