import type { Clock } from './clock.ts';

/** The two steps of ending a process: finish what you can, then stop at once. */
export interface EndSignals {
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly drain: AbortSignal;
  /** Aborted by the second. */
  readonly abort: AbortSignal;
}

/** Turns the signals a process receives into EndSignals. */
export interface Interrupts extends EndSignals {
  /** To be called for each signal; says what it meant. `give up` is for whoever signals a third time. */
  receive(signal: 'SIGINT' | 'SIGTERM'): 'drain' | 'abort' | 'give up' | 'same';
  /** For a command that the first signal is the way to end: ended so, without a second one, it was not interrupted. */
  endedAsAsked(): void;
  /** From here on a SIGINT is for the program that the command has started in its terminal, and not for the command. */
  passInterrupts(): void;
  /** 130 or 143 once a signal has come, unless the command ended as asked; else null. */
  exitCode(): 130 | 143 | null;
}

/**
 * One press of Ctrl-C may arrive twice: from the terminal, and passed on by npm or the launcher. Two of a kind within
 * this time are one.
 */
const SAME_PRESS_MS = 250;

/** Starts with nothing received. */
export function createInterrupts(clock: Clock): Interrupts {
  const drain = new AbortController();
  const abort = new AbortController();
  let code: 130 | 143 | null = null;
  let passing = false;
  let last: { signal: string; atMs: number } | null = null;

  return {
    drain: drain.signal,
    abort: abort.signal,
    exitCode: () => code,
    endedAsAsked() {
      if (!abort.signal.aborted) code = null;
    },
    passInterrupts() {
      passing = true;
    },
    receive(signal) {
      if (passing && signal === 'SIGINT') return 'same';
      const atMs = clock.monotonicMs();
      if (last?.signal === signal && atMs - last.atMs < SAME_PRESS_MS) return 'same';
      last = { signal, atMs };
      code ??= signal === 'SIGINT' ? 130 : 143;
      if (abort.signal.aborted) return 'give up';
      const step = drain.signal.aborted ? 'abort' : 'drain';
      (step === 'drain' ? drain : abort).abort(signal);
      return step;
    },
  };
}
