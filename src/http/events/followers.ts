/** Those who wait for changes of a work item or a conversation. */
import type { Clock } from '../../core/lifecycle/clock.ts';

/** Waits for changes. */
export interface Follower {
  /** Takes what has changed, without waiting for anything. Returns whether it is to be called at the next change, too. `nowMs`: monotonic. */
  changed(nowMs: number): boolean;
}

/** Each writes to a socket, and a thousand in a row would hold up everything else for 10 ms and more. */
const CALLED_AT_ONCE = 100;

/**
 * Those who are called queue up, also for later changes, so that none waits longer than it takes to call all. One whose turn comes takes everything
 * until then at once.
 */
export function createFollowers(clock: Clock) {
  let waiting: Follower[] = [];
  /** Those who are to be called, in order. */
  let line: Follower[] = [];
  let calling = false;

  function callSome(): void {
    const nowMs = clock.monotonicMs();
    for (const follower of line.splice(0, CALLED_AT_ONCE)) if (follower.changed(nowMs)) waiting.push(follower);
    calling = line.length > 0;
    if (calling) setImmediate(callSome);
  }

  return {
    /** Calls it at the next change. */
    add: (follower: Follower): void => void waiting.push(follower),
    /** Calls all of them. */
    call(): void {
      line = line.concat(waiting);
      waiting = [];
      if (calling) return;
      calling = true;
      callSome();
    },
  };
}
