import type { Clock } from './clock.ts';

/** The two steps of a shutdown: first finish running work, then stop at once. */
export interface EndSignals {
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly drain: AbortSignal;
  /** Aborted by the second. */
  readonly abort: AbortSignal;
}

/** Turns the signals a process receives into EndSignals. */
export interface Interrupts extends EndSignals {
  /** Call it for each signal; returns what the signal means. `give up`: the third signal. */
  receive(signal: 'SIGINT' | 'SIGTERM'): 'drain' | 'abort' | 'give up' | 'same';
  /** For a command that is ended by its first signal: unless a second one came, it does not count as interrupted. */
  endedAsAsked(): void;
  /**
   * From now on, SIGINT is meant for the program that the command runs in its terminal, and the command ignores it, until the function that is
   * returned is called.
   */
  passInterrupts(): () => void;
  /** 130 or 143 after a signal, unless the command ended as asked; else null. */
  exitCode(): 130 | 143 | null;
}

/**
 * One press of Ctrl-C may arrive twice: from the terminal, and again from npm or the launcher. Two equal signals within
 * this time count as one.
 */
const SAME_PRESS_MS = 250;

/** Starts with no signal received. */
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
      return () => void (passing = false);
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
