/** Answers a request for the events of a work item or a conversation with an event stream. */

import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { isTerminal } from '../../core/work/work.ts';
import type { EventScope } from '../../store/events/read-events.ts';
import type { Log } from '../../telemetry/log.ts';
import type { EventHub } from './event-hub.ts';
import { type FramesFor, StalledClient, sendEvents } from './event-stream.ts';
import type { Eyes } from './eyes.ts';
import { followItem, readBeginning } from './follow-item.ts';
import type { Frame } from './frame.ts';
import type { StateFeeds } from './state-feed.ts';
import { StreamedResponse } from './streamed-response.ts';

export interface EventServices {
  readonly hub: EventHub;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who asks, and for what. */
export interface EventRequest {
  readonly eyes: Eyes;
  readonly scope: EventScope;
  /** The header `Last-Event-ID`, or the query parameter `after`; null: from the beginning; `now`: what comes. */
  readonly after: string | null;
  /** What comes before everything else; default: nothing. */
  readonly first?: readonly Frame[];
}

/**
 * 200 with the stream; 204, which tells an EventSource not to connect again, when the work has ended and nothing is after the id. A conversation
 * has no end. Errors: `work.not_found`, also for what the visitor may not see; `usage.invalid` for an id that is not one of its events; `http.unauthorized`.
 */
export async function answerEvents(services: EventServices, request: EventRequest): Promise<Response> {
  const { eyes, scope, after, first = [] } = request;
  const beginning = await readBeginning(eyes, scope, after);
  const over = scope.kind === 'work' && beginning.page.items.every(({ state }) => isTerminal(state));
  if (over && beginning.page.events.length === 0 && first.length === 0) return new Response(null, { status: 204 });
  const leaving = new AbortController();
  const frames: FramesFor = async function* (sink) {
    if (first.length > 0) yield first;
    yield* followItem(services, eyes, scope, beginning, leaving.signal, sink);
  };
  return streamResponse(frames, () => leaving.abort('left'), services);
}

/** 200 with the states of all work that the visitor may see: a snapshot, then the changes. */
export function answerStates(
  services: EventServices & { readonly states: StateFeeds },
  { eyes }: Pick<EventRequest, 'eyes'>,
): Response {
  const leaving = new AbortController();
  const until = AbortSignal.any([leaving.signal, services.hub.stopping]);
  return streamResponse(
    () => services.states.follow(eyes, until),
    () => leaving.abort('left'),
    services,
  );
}

/** A response with an event stream of these frames; `leave` must end them, and is called once it was sent or the client has left. */
export function streamResponse(frames: FramesFor, leave: () => void, { clock, log }: EventServices): Response {
  return new StreamedResponse(async (response) => {
    const error = await sendEvents(response, frames, leave, clock);
    if (error === null) return;
    if (isAnimusError(error) || error instanceof StalledClient) {
      log.debug({ error: messageOf(error) }, 'a stream of events ended early');
    } else log.error({ err: error }, 'a stream of events failed');
  });
}
