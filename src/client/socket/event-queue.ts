/** The events of a subscription that have arrived and were not read yet: a WebSocket cannot be told to wait. */
import type { StreamedEvent } from '../read-events.ts';

/** So many may wait. */
const MOST_WAITING = 1000;

/** Why no more events come: the subscription is over, its reader is too slow and asks again after the last one, or an error. */
export type QueueEnd = 'over' | 'full' | Error;

export interface EventQueue {
  /** Returns false if no more may come: there are too many. */
  push(event: StreamedEvent): boolean;
  /** Afterwards nothing is added. */
  end(how: QueueEnd): void;
  /** All that has arrived, then how it ended. */
  read(): AsyncGenerator<StreamedEvent, 'over' | 'full'>;
}

export function eventQueue(): EventQueue {
  const waiting: StreamedEvent[] = [];
  let ended: QueueEnd | null = null;
  let wake: (() => void) | null = null;
  const end = (how: QueueEnd) => {
    ended ??= how;
    wake?.();
  };
  return {
    end,
    push(event) {
      if (ended !== null) return false;
      waiting.push(event);
      if (waiting.length >= MOST_WAITING) end('full');
      wake?.();
      return ended === null;
    },
    async *read() {
      for (;;) {
        for (let event = waiting.shift(); event; event = waiting.shift()) yield event;
        if (ended instanceof Error) throw ended;
        if (ended !== null) return ended;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
