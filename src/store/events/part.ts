import type { EventBody } from './event.ts';
import type { Step } from './position.ts';

/** An event of a part, and the step that it is. */
export interface Entry {
  readonly step: Step;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly event: EventBody;
  /** Comes after everything else that is known, whatever its time: the present end, where readers stop. */
  readonly last?: true;
}

/** One part of an item's events, in its order. */
export interface Part {
  readonly entries: readonly Entry[];
  /** The part may go on after these. */
  readonly more: boolean;
}
