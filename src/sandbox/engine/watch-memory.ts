/** Learns from the engine which containers ran out of memory. */
import type { Readable } from 'node:stream';
import { eventsOf } from './engine-events.ts';
import type { Engine } from './open-engine.ts';

/** A stream of the engine's events. */
export interface MemoryWatch {
  /** Opens the stream, unless it is open. */
  start(): void;
  stop(): void;
}

/** Calls `ran` with the id of each container with this label in which the kernel killed a process for lack of memory. */
export function watchMemory({ docker }: Engine, label: string, ran: (container: string) => void): MemoryWatch {
  let stopped = false;
  let stream: Promise<void> | null = null;
  let open: Readable | null = null;

  async function listen(): Promise<void> {
    const filters = JSON.stringify({ type: ['container'], event: ['oom'], label: [label] });
    open = (await docker.getEvents({ filters })) as unknown as Readable;
    if (stopped) open.destroy();
    for await (const { id } of eventsOf<{ readonly id?: unknown }>(open)) ran(String(id));
  }

  return {
    start() {
      // When the engine goes away, so do its containers; the next start opens the stream again.
      stream ??= listen()
        .catch(() => {})
        .finally(() => (stream = null));
    },
    stop() {
      stopped = true;
      open?.destroy();
    },
  };
}
