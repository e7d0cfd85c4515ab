import { createParser } from 'eventsource-parser';
import { type Fault, jsonBeyond, QUOTED_CHARS } from '../wire/fault.ts';
import { parseCounted, parseJson } from '../wire/loose-json.ts';
import type { Answer, Fold, Framing, WireError } from '../wire/wire.ts';
import { MAX_ERROR_BYTES, MAX_JSON_BYTES, MAX_STREAM_BYTES, tooLarge } from './body-limits.ts';
import type { BodyReader } from './exchange.ts';
import { isBinary, isSuccess, notJson } from './response-faults.ts';

/** The size limit of one event. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024;
const LONG_BYTES = 1024 * 1024;

/** Reads a response body into a fold: a stream of events, one JSON body, or the text of an error. */
export interface AnswerReader extends BodyReader {
  /** The answer or the fault; call it at the end of the body. */
  result(): Answer | Fault;
  /** True for a body of more than 1 MiB: its result is worth a turn of the event loop of its own. */
  isLong(): boolean;
}

type Mode = 'undecided' | 'events' | 'framed' | 'json' | 'error';

/**
 * A reader of one response. The first character of a 2xx body decides whether it is a stream, because the content type is
 * unreliable on servers that do not stream and on proxies. No event stream begins with `{`. Streams that are not server-sent
 * events are split by `framing`.
 */
export function answerReader(
  fold: Fold,
  classify: (error: WireError) => Fault,
  framing: Framing | null = null,
): AnswerReader {
  const decoder = new TextDecoder();
  let status = 0;
  let mode: Mode = 'undecided';
  let text = '';
  let broken: Fault | null = null;
  let events = 0;
  let bytes = 0;
  let atEnd = false;
  const onData = (data: string): void => {
    events += 1;
    if (broken || fold.ended() || (atEnd && isCut(data))) return;
    const wasComplete = fold.complete();
    const cause = fold.event(data);
    if (!wasComplete) broken = cause;
  };
  /** The fold's own fault came first, and what breaks after a complete answer does not count. */
  const frame = (cause: Fault | null | undefined): void => {
    if (!fold.complete()) broken ??= cause ?? null;
  };
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: (event) => onData(event.data),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') broken ??= tooLarge('an event of the stream');
    },
  });

  const take = (piece: string): void => {
    if (mode === 'undecided') {
      const first = /\S/.exec(piece)?.[0];
      if (first === undefined) return;
      if (isBinary(first)) broken = notJson(piece);
      mode = first === '{' || first === '[' ? 'json' : 'events';
    }
    if (mode === 'events') {
      if (!broken) parser.feed(piece);
      // What is not a stream is quoted. The first piece of a stream is let go of: it may be larger than the answer.
      if (events > 0) text = '';
      else if (text.length <= QUOTED_CHARS) text += piece;
    } else if (mode === 'json') {
      text += piece;
      if (bytes > MAX_JSON_BYTES) broken = tooLarge('the response body');
    } else {
      text += piece;
    }
  };

  const end = (): void => {
    if (atEnd) return;
    atEnd = true;
    if (mode === 'framed') {
      if (!broken && !fold.ended()) frame(framing?.end(onData));
      return;
    }
    take(decoder.decode());
    // Some servers leave out the last blank line; the last event counts without it, if it is whole.
    if (!broken && mode === 'events' && !fold.ended()) parser.feed('\n\n');
  };

  return {
    begin(code) {
      status = code;
      if (!isSuccess(status)) mode = 'error';
    },
    chunk(chunk) {
      bytes += chunk.length;
      if (mode === 'undecided' && chunk[0] !== undefined && framing?.takes(chunk[0])) mode = 'framed';
      if (mode === 'framed') frame(framing?.feed(chunk, onData));
      else take(decoder.decode(chunk, { stream: true }));
      if (mode === 'error') return bytes > MAX_ERROR_BYTES ? 'broken' : 'more';
      if (bytes > MAX_STREAM_BYTES && !fold.complete()) broken ??= tooLarge('the response body');
      if (broken || bytes > MAX_STREAM_BYTES) return 'broken';
      if (mode !== 'events' && mode !== 'framed') return 'more';
      if (fold.ended()) return 'ended';
      return fold.complete() ? 'whole' : 'more';
    },
    complete() {
      end();
      if (mode === 'error') return true;
      return broken !== null || (mode === 'json' ? parseJson(text) !== undefined : fold.complete());
    },
    isLong: () => bytes > LONG_BYTES,
    result() {
      end();
      if (mode === 'error') return classify({ status, body: text });
      if (broken) return broken;
      if (mode === 'json') return readWhole(fold, text);
      const answer = fold.finish();
      if (answer.type === 'fault' && mode !== 'framed' && events === 0 && !isStartOfStream(text)) return notJson(text);
      return answer;
    },
  };
}

/** True for the data of an event in which the connection ended. */
function isCut(data: string): boolean {
  return data.trim() !== '[DONE]' && jsonBeyond(data) === null && parseCounted(data) === undefined;
}

/** True for the beginning of an event stream, however short. */
function isStartOfStream(text: string): boolean {
  const start = text.trimStart();
  return (
    start !== '' &&
    ['data:', 'event:', 'id:', 'retry:', ':'].some((field) => start.startsWith(field) || field.startsWith(start))
  );
}

function readWhole(fold: Fold, text: string): Answer | Fault {
  const beyond = jsonBeyond(text);
  if (beyond !== null) return beyond;
  const body = parseCounted(text);
  if (body === undefined) return notJson(text);
  return fold.whole(body) ?? fold.finish();
}
