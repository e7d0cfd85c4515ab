/** Frames as an event stream (text/event-stream): written only as fast as the client reads, with heartbeats. */

import { isAnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { type Frame, hintFrame } from './frame.ts';

export interface StreamOptions {
  readonly clock: Clock;
  /** Called once when the stream is over: the client left, everything was sent, or reading failed. */
  readonly onEnd: (error: unknown) => void;
}

/** Proxies close connections that are silent for 30 s or more. */
const HEARTBEAT_MS = 15_000;
/** A client that takes nothing for this long is gone. */
const STALLED_MS = 60_000;
const HEARTBEAT = Buffer.from(': \n\n');
/** How long a client waits before it connects again. */
const RETRY = Buffer.from('retry: 1000\n\n');

/**
 * The body of a response. Takes the next frames when the client has taken the last ones, so nothing piles up here. `leave` is called
 * when the client goes.
 */
export function eventStream(
  frames: AsyncGenerator<readonly Frame[]>,
  leave: () => void,
  { clock, onEnd }: StreamOptions,
): ReadableStream<Uint8Array> {
  const over = new AbortController();
  let stalledSinceMs: number | null = null;

  function end(error: unknown): void {
    if (over.signal.aborted) return;
    over.abort('over');
    leave();
    onEnd(error);
  }

  async function beat(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      await clock.sleep(HEARTBEAT_MS, over.signal);
      if (over.signal.aborted) return;
      if ((controller.desiredSize ?? 0) > 0) {
        stalledSinceMs = null;
        controller.enqueue(HEARTBEAT);
        continue;
      }
      stalledSinceMs ??= clock.monotonicMs();
      if (clock.monotonicMs() - stalledSinceMs < STALLED_MS) continue;
      const stalled = new Error('the client does not read');
      end(stalled);
      controller.error(stalled);
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(RETRY);
        void beat(controller);
      },
      async pull(controller) {
        try {
          for (;;) {
            const next = await frames.next();
            if (over.signal.aborted) return;
            if (next.done) {
              end(null);
              controller.close();
              return;
            }
            if (next.value.length === 0) continue;
            controller.enqueue(joined(next.value));
            return;
          }
        } catch (error) {
          if (over.signal.aborted) return;
          // The client is told, and connects again or not. An error of the stream would only break the connection.
          controller.enqueue(hintFrame('closed', { code: isAnimusError(error) ? error.code : 'internal.bug' }).bytes());
          controller.close();
          end(error);
        }
      },
      cancel() {
        end(null);
      },
    },
    new CountQueuingStrategy({ highWaterMark: 2 }),
  );
}

function joined(frames: readonly Frame[]): Uint8Array {
  return frames.length === 1 ? frames[0]!.bytes() : Buffer.concat(frames.map((frame) => frame.bytes()));
}
