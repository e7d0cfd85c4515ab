/** A client of an event stream: what it got, in order. */
import { createParser } from 'eventsource-parser';
import { messageOf } from '../../src/core/errors/errors.ts';

export interface GotEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

export interface EventReader {
  readonly events: readonly GotEvent[];
  readonly status: number;
  /** Resolves when one of the events matches, at once if it has come already. Rejects when the stream ends first. */
  until(match: (event: GotEvent) => boolean): Promise<GotEvent>;
  /** Resolves when the server has ended the stream, or the connection broke. */
  readonly ended: Promise<void>;
  leave(): Promise<void>;
}

/** Connects; `after` is the id of the last event that was read. */
export async function readEventStream(
  url: string,
  options: { readonly after?: string | null; readonly actor?: string; readonly headers?: Record<string, string> } = {},
): Promise<EventReader> {
  const leaving = new AbortController();
  const response = await fetch(url, {
    signal: leaving.signal,
    headers: {
      ...options.headers,
      ...(options.actor !== undefined && { 'x-actor': options.actor }),
      ...(options.after && { 'last-event-id': options.after }),
    },
  });
  const events: GotEvent[] = [];
  const waiting = new Set<() => void>();
  let over: { readonly why: string } | null = null;
  const parser = createParser({
    onEvent({ id, event, data }) {
      events.push({ id: id ?? null, type: event ?? '', data: JSON.parse(data) as Record<string, unknown> });
      for (const look of waiting) look();
    },
  });
  const ended = (async () => {
    try {
      const decoder = new TextDecoder();
      if (response.body) for await (const chunk of response.body) parser.feed(decoder.decode(chunk, { stream: true }));
      over = { why: 'the server ended it' };
    } catch (error) {
      over = { why: leaving.signal.aborted ? 'this client left' : messageOf(error) };
    }
    for (const look of waiting) look();
  })();
  return {
    events,
    status: response.status,
    ended,
    until: (match) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = events.find(match);
          if (!found && !over) return;
          waiting.delete(look);
          if (found) resolve(found);
          else reject(new Error(`the stream ended after ${events.map(({ type }) => type).join(', ')}: ${over!.why}`));
        };
        waiting.add(look);
        look();
      }),
    async leave() {
      leaving.abort();
      await ended;
    },
  };
}
