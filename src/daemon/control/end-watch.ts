/** Watches whether the database accepts the ends of this daemon's foci, so that people learn of it when it refuses them. */
import { messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { gauge } from '../../telemetry/metrics.ts';
import type { Ends } from '../focus/scope/refused-end.ts';

export interface EndWatch extends Ends {
  /** What people are told. */
  problems(): readonly string[];
  /** `ok`, or since when it has taken no end, and why. */
  standing(): string;
}

/** Items that are named as problems. */
const MOST_TOLD = 20;

/** `standingMs`: how long without an end that the database takes counts as standing still. `onChange`: what people are told may have changed. */
export function createEndWatch(clock: Clock, standingMs: number, onChange: () => void): EndWatch {
  const items = new Map<string, { readonly message: string; readonly atMs: number }>();
  let failing: { readonly sinceMs: number; readonly why: string } | null = null;

  /** An end is tried again after a minute, here or elsewhere: what was refused long ago is over. */
  function forget(): void {
    for (const [id, { atMs }] of items) if (clock.monotonicMs() - atMs > 5 * standingMs) items.delete(id);
    if (items.size === 0) failing = null;
    gauge('work.ends.refused', items.size, {});
  }

  return {
    refused(id, error) {
      const message = messageOf(error);
      failing = { sinceMs: failing?.sinceMs ?? clock.monotonicMs(), why: message };
      items.set(id, { message, atMs: clock.monotonicMs() });
      onChange();
    },
    written(id) {
      failing = null;
      if (items.delete(id)) onChange();
    },
    problems() {
      forget();
      const named = [...items].slice(0, MOST_TOLD);
      const more = items.size - named.length;
      return [
        ...named.map(([id, { message }]) => `the end of work item ${id} cannot be recorded: ${message}`),
        ...(more > 0 ? [`the ends of ${more} more work items cannot be recorded`] : []),
      ];
    },
    standing() {
      // One item alone says nothing about others.
      if (failing === null || items.size < 2) return 'ok';
      const forMs = clock.monotonicMs() - failing.sinceMs;
      if (forMs < standingMs) return 'ok';
      return `no end of work could be recorded for ${Math.floor(forMs / 60_000)} min: ${failing.why}`;
    },
  };
}
