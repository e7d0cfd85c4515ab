/** Those who wait for changes of a work item or a conversation. */
import type { Clock } from '../../core/lifecycle/clock.ts';

/** Waits for changes. */
export interface Follower {
  /** Takes what has changed, without waiting for anything. Returns whether it is to be called at the next change, too. `nowMs`: monotonic. */
  changed(nowMs: number): boolean;
}

/** Each writes to a socket, and a thousand in a row would hold up everything else for 10 ms and more. */
const CALLED_AT_ONCE = 100;

export function createFollowers(clock: Clock) {
  let waiting: Follower[] = [];

  /** Calls those from the number on. A follower that was called waits for the next change, which may come before the last of them is called. */
  function callInTurn(called: readonly Follower[], from: number): void {
    const until = Math.min(from + CALLED_AT_ONCE, called.length);
    const nowMs = clock.monotonicMs();
    for (let n = from; n < until; n++) {
      const follower = called[n]!;
      if (follower.changed(nowMs)) waiting.push(follower);
    }
    if (until < called.length) setImmediate(callInTurn, called, until);
  }

  return {
    /** Calls it at the next change. */
    add: (follower: Follower): void => void waiting.push(follower),
    /** Calls all of them. */
    call(): void {
      const called = waiting;
      waiting = [];
      callInTurn(called, 0);
    },
  };
}
