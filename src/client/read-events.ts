/** Reads one connection of an event stream (text/event-stream). */
import { createParser } from 'eventsource-parser';
import { ApiError } from './api-error.ts';
import { isType, protocolError } from './read-answer.ts';

/** What all events have in common. Hints have no id. */
export interface StreamedEvent {
  readonly type: string;
  readonly id?: string;
}

export interface ReadOptions {
  /** Ends the connection. */
  readonly cut: AbortController;
  /** How long the server may send nothing, in milliseconds: it sends a heartbeat every 15 s. */
  readonly silenceMs: number;
  /** Called with the time that the server wants clients to wait before they connect again, in milliseconds. */
  readonly onRetry: (ms: number) => void;
  /** Called for each piece that arrives, heartbeats too. */
  readonly onLife: () => void;
}

/** In characters; animus sends no larger event. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024;

/**
 * Yields the events until the server ends the stream. Reads on only when it is asked for the next event. Errors: `client.protocol`;
 * `client.timeout` after a silence; `client.unreachable` when the connection breaks.
 */
export async function* readEvents<Event extends StreamedEvent>(
  response: Response,
  { cut, silenceMs, onRetry, onLife }: ReadOptions,
): AsyncGenerator<Event, void> {
  if (!isType(response, 'text/event-stream') || !response.body) {
    cut.abort();
    throw protocolError(response, 'the answer is not an event stream');
  }
  let events: Event[] = [];
  let broken: ApiError | null = null;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: ({ data }) => events.push(eventOf(data, response) as Event),
    onRetry,
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded')
        broken = protocolError(response, `an event has more than ${MAX_EVENT_CHARS} characters`);
    },
  });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const end = () => {
    cut.abort();
    // For a `fetch` of the caller that ignores the signal. If the signal has ended the body, this rejects.
    reader.cancel().catch(() => undefined);
  };
  try {
    for (;;) {
      const piece = await readPiece(reader, end, silenceMs);
      if (piece === null) return;
      onLife();
      parser.feed(decoder.decode(piece, { stream: true }));
      if (broken !== null) throw broken;
      const arrived = events;
      events = [];
      yield* arrived;
    }
  } finally {
    end();
  }
}

/** Null: the stream has ended. */
async function readPiece(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  end: () => void,
  silenceMs: number,
): Promise<Uint8Array | null> {
  let silence: ApiError | null = null;
  const timer = setTimeout(() => {
    silence = new ApiError('client.timeout', `the stream was silent for ${silenceMs} ms`, { retryable: true });
    end();
  }, silenceMs);
  try {
    const { done, value } = await reader.read();
    if (!done) return value;
  } catch (cause) {
    if (silence !== null) throw silence;
    throw new ApiError('client.unreachable', 'the connection of the stream broke', { retryable: true, cause });
  } finally {
    clearTimeout(timer);
  }
  // A `fetch` that ignores the signal ends the body without an error.
  if (silence !== null) throw silence;
  return null;
}

function eventOf(data: string, response: Response): StreamedEvent {
  try {
    const event = JSON.parse(data) as Partial<StreamedEvent> | null;
    if (typeof event?.type === 'string' && (event.id == null || isEventId(event.id))) return event as StreamedEvent;
  } catch (cause) {
    throw protocolError(response, 'an event is not valid JSON', cause);
  }
  throw protocolError(response, 'an event has no type, or an id that no header can contain');
}

/** Whether a header can contain it. */
export function isEventId(id: unknown): id is string {
  return typeof id === 'string' && /^[\x21-\x7e]+$/.test(id);
}
