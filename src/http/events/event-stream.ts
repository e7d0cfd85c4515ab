/** Sends frames as an event stream (text/event-stream): only as fast as the client reads, with heartbeats. */
import type { ServerResponse } from 'node:http';
import { isAnimusError } from '../../core/errors/errors.ts';
import { publicCode } from '../../core/errors/public-code.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { encodeText } from './encoded.ts';
import { type Frame, hintFrame, type Sink } from './frame.ts';
import { Wire } from './wire.ts';

/** Proxies close connections that are silent for 30 s or more. */
const HEARTBEAT_MS = 15_000;
/** A client that takes nothing for this long is gone. */
const STALLED_MS = 60_000;
const HEARTBEAT = encodeText(': \n\n');
/** How long a client waits before it connects again. */
const RETRY = encodeText('retry: 1000\n\n');

/** A client was disconnected because it took nothing for too long. */
export class StalledClient extends Error {
  constructor() {
    super('the client does not read');
  }
}

/** What a reader gets, in order: what is yielded, and between that what is sent to the sink. Both wait until the reader has taken what came before. */
export type FramesFor = (sink: Sink) => AsyncGenerator<readonly Frame[]>;

/**
 * Sends the frames until there are no more or the client leaves, and ends the response, whose head must have been written. The next frames
 * are taken when the client has taken the last ones, so nothing piles up here. `leave` is called once, at the end; the frames must end then.
 * Resolves with the error that ended the stream early; null: it was complete, or the client left. Never rejects.
 */
export async function sendEvents(
  response: ServerResponse,
  framesFor: FramesFor,
  leave: () => void,
  clock: Clock,
): Promise<unknown> {
  const over = new AbortController();
  const end = () => {
    if (over.signal.aborted) return;
    over.abort('over');
    leave();
  };
  response.once('close', end);
  if (response.destroyed) end();
  const wire = new Wire(response);
  wire.write(RETRY);
  const beating = beat(response, wire, clock, over.signal);
  const error = await sendAll(wire, framesFor(wire), over.signal);
  end();
  response.end();
  return (await beating) ?? error;
}

async function sendAll(wire: Wire, frames: AsyncGenerator<readonly Frame[]>, over: AbortSignal): Promise<unknown> {
  try {
    while (!over.aborted) {
      const next = await frames.next();
      if (next.done || over.aborted) return null;
      if (next.value.length > 0 && !wire.send(next.value)) await wire.drained();
    }
    return null;
  } catch (error) {
    if (over.aborted) return null;
    // The client is told, and connects again or not. A broken connection would not tell it why.
    wire.send([hintFrame('closed', { code: publicCode(isAnimusError(error) ? error.code : 'internal.bug') })]);
    return error;
  } finally {
    // If the client has left, the generator is suspended, and still holds what it watches.
    await frames.return(undefined);
  }
}

/** Until the stream is over. Returns an error if it closed the connection because the client does not read. */
async function beat(response: ServerResponse, wire: Wire, clock: Clock, over: AbortSignal): Promise<Error | null> {
  let stalled = null as { readonly sinceMs: number; readonly drains: number } | null;
  for (;;) {
    await clock.sleep(HEARTBEAT_MS, over);
    if (over.aborted) return null;
    if (!wire.full) {
      stalled = null;
      wire.write(HEARTBEAT);
    } else if (stalled === null || stalled.drains !== wire.drains) {
      stalled = { sinceMs: clock.monotonicMs(), drains: wire.drains };
    } else if (clock.monotonicMs() - stalled.sinceMs >= STALLED_MS) {
      response.destroy();
      return new StalledClient();
    }
  }
}
