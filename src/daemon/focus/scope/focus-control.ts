/** Stops a running focus from outside and records why. */

/** Why a focus was aborted. The first reason counts. */
export type AbortReason = 'lease_lost' | 'cancelled' | 'shutdown' | 'deadline';

/** The abort reason as an error, so that `signal.throwIfAborted()` carries it. */
export class FocusAborted extends Error {
  override readonly name = 'FocusAborted';
  readonly reason: AbortReason;
  constructor(reason: AbortReason) {
    super(`the focus was stopped: ${reason}`);
    this.reason = reason;
  }
}

/** The two ways to end a focus early: at its next turn boundary, or now. */
export interface FocusControl {
  readonly signal: AbortSignal;
  readonly drain: AbortSignal;
  abort(reason: AbortReason): void;
  drainSoon(): void;
  /** The focus has done its work and only writes its end: another one may have its slot, or be claimed for it. */
  ending(): void;
  /** The focus writes its end, whatever that is: from here on the write itself tells whether the lease was lost. */
  settle(): void;
  isSettling(): boolean;
}

/** `onEnding`: called when the focus only writes its end. */
export function createFocusControl(onEnding: () => void = () => {}): FocusControl {
  const now = new AbortController();
  const soon = new AbortController();
  let settling = false;
  return {
    signal: now.signal,
    drain: soon.signal,
    abort: (reason) => now.abort(new FocusAborted(reason)),
    drainSoon: () => soon.abort(),
    ending: onEnding,
    settle: () => {
      settling = true;
    },
    isSettling: () => settling,
  };
}

/** Why the focus was aborted, or null while it was not. */
export function abortReason(control: FocusControl): AbortReason | null {
  return control.signal.aborted ? (control.signal.reason as FocusAborted).reason : null;
}
