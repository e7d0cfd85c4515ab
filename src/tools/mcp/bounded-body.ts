/** Bounds the bodies of an MCP server's HTTP responses, which the SDK would read into memory whole and parse as they are. */
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { MAX_MESSAGE_BYTES, MESSAGE_LIMIT, type MessageGuard } from './message-guard.ts';
import type { Pace } from './pace.ts';

type Body = ReadableStream<Uint8Array>;
type Bytes = TransformStreamDefaultController<Uint8Array>;

/** The body; each event, or the whole, is at most one message. The stream fails if a message is too large to be replaced. */
export function boundedBody(body: Body, type: 'events' | 'whole', guard: MessageGuard, pace: Pace): Body {
  return body.pipeThrough(type === 'events' ? events(guard, pace) : whole(guard));
}

function whole(guard: MessageGuard): TransformStream<Uint8Array, Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > MAX_MESSAGE_BYTES) controller.error(new Error(MESSAGE_LIMIT));
    },
    flush: (controller) => pass(Buffer.concat(chunks).toString(), controller, guard, (text) => text),
  });
}

interface Event {
  /** Its lines without data. */
  readonly head: string;
  readonly data: string | null;
}

/** Parses the events and writes them again: only their data is limited. */
function events(guard: MessageGuard, pace: Pace): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let open = 0;
  let ready: Event[] = [];
  const parser = createParser({
    onRetry: (ms) => ready.push({ head: `retry: ${ms}\n`, data: null }),
    onEvent({ id, event, data }) {
      open = 0;
      const lines = [
        ...(id === undefined ? [] : [`id: ${id}\n`]),
        ...(event === undefined ? [] : [`event: ${event}\n`]),
      ];
      ready.push({ head: lines.join(''), data });
    },
  });
  return new TransformStream({
    async transform(chunk, controller) {
      open += chunk.length;
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (open > MAX_MESSAGE_BYTES) return controller.error(new Error(MESSAGE_LIMIT));
      const given = ready;
      ready = [];
      for (const { head, data } of given) {
        const begun = performance.now();
        pass(data ?? '', controller, guard, (text) => (data === null ? head : `${head}${dataLines(text)}\n`));
        // The SDK reads it now.
        if (data !== null && data.length > LARGE_CHARS) await turnOfEventLoop();
        await pace(data?.length ?? 0, performance.now() - begun);
      }
    },
  });
}

const LARGE_CHARS = 64 * 1024;

function dataLines(data: string): string {
  return data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('');
}

function pass(text: string, controller: Bytes, guard: MessageGuard, written: (text: string) => string): void {
  const bound = guard.bound(text);
  if ('problem' in bound) controller.error(new Error(bound.problem));
  else controller.enqueue(Buffer.from(written(bound.text)));
}
