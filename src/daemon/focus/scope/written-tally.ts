/** Counts the calls of a run that write, so that its end knows whether anything was written. */
import type { FocusEventBody } from '../../../engage/events/events.ts';
import { leavesResult } from '../../../tools/registry.ts';
import type { Toolset } from '../../../tools/source.ts';

/** The calls of this run, those of code included; what happened before a resumption is not in it. */
export interface WrittenTally {
  readonly succeeded: number;
  readonly failed: number;
  /** Counts an event, if it is the end of a call that writes. */
  take(event: FocusEventBody): void;
}

/** Starts to count. */
export function tallyWrites({ tools }: Toolset): WrittenTally {
  const tally = {
    succeeded: 0,
    failed: 0,
    take(event: FocusEventBody) {
      if (event.type !== 'observation' || event.live) return;
      const tool = tools.get(event.name);
      if (tool === undefined || !leavesResult(tool)) return;
      tally[event.isError ? 'failed' : 'succeeded'] += 1;
    },
  };
  return tally;
}
