/** Submits work and follows it, over as many connections as that takes. */
import type { NewWork, WorkEvent } from './api/api.ts';
import { type Connection, EVENTS, newKey } from './call.ts';
import { followEvents } from './follow-events.ts';
import type { CallOptions, EventOptions } from './options.ts';
import type { Outgoing } from './send.ts';

export interface Following {
  /**
   * Submits work, and yields its events until it has ended. The first event, `submitted`, has what `work.submit` returns in `work`. One request does both; a
   * connection that breaks goes on where it was, and the work is submitted once.
   */
  submitAndFollow(
    work: NewWork,
    options?: Omit<EventOptions, 'after'> & Pick<CallOptions, 'idempotencyKey'>,
  ): AsyncGenerator<WorkEvent, void>;
}

export function following({ addresses, send }: Connection): Following {
  return {
    async *submitAndFollow(work, { idempotencyKey = newKey(), ...options } = {}) {
      let id: string | null = null;
      const request = (last: string | null): Outgoing =>
        id === null || last === null
          ? {
              method: 'POST',
              path: '/work',
              headers: { ...EVENTS, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
              body: JSON.stringify(work),
            }
          : { method: 'GET', path: `/work/${id}/events`, headers: { ...EVENTS, 'last-event-id': last } };
      const connect: Parameters<typeof followEvents>[0] = (last, signal) =>
        send(request(last), { signal, retries: addresses.count - 1 }, (response, root) => ({
          response,
          leave: () => addresses.leave(root),
        }));
      for await (const event of followEvents<WorkEvent>(connect, options)) {
        if (event.type === 'submitted') id = String(event.work['id']);
        yield event;
      }
    },
  };
}
