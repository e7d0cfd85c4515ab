import { createParser } from 'eventsource-parser';
import { type Fault, fault } from '../wire/fault.ts';
import { parseJson } from '../wire/loose-json.ts';
import type { Answer, Fold, Framing, WireError } from '../wire/wire.ts';
import type { BodyReader } from './exchange.ts';

/** Size limits of one event and of one body that is not a stream, against a server that never stops sending. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;
const MAX_BODY_CHARS = 64 * 1024 * 1024;
const MAX_ERROR_CHARS = 64 * 1024;
const HEAD_CHARS = 300;

/** Reads a response body into a fold: a stream of events, one JSON body, or the text of an error. */
export interface AnswerReader extends BodyReader {
  /** The answer or the fault; call it at the end of the body. */
  result(): Answer | Fault;
}

type Mode = 'undecided' | 'events' | 'framed' | 'json' | 'error';

/**
 * A reader of one response. The first character of a 2xx body decides whether it is a stream, because the content type is
 * unreliable on servers that do not stream and on proxies. No event stream begins with `{`.
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
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: (event) => onData(event.data),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded')
        broken ??= fault('protocol', 'an event of the stream is too large');
    },
  });

  const onData = (data: string): void => {
    events += 1;
    if (!broken && !fold.ended()) broken = fold.event(data);
  };

  /** The fold's own fault came first. */
  const frame = (cause: Fault | null | undefined): void => {
    broken ??= cause ?? null;
  };

  const take = (piece: string): void => {
    if (mode === 'undecided') {
      const first = /\S/.exec(piece)?.[0];
      if (first === undefined) return;
      mode = first === '{' || first === '[' ? 'json' : 'events';
    }
    if (mode === 'events') {
      if (text.length < HEAD_CHARS) text += piece.slice(0, HEAD_CHARS);
      if (!broken) parser.feed(piece);
    } else if (mode === 'json') {
      text += piece;
      if (text.length > MAX_BODY_CHARS) broken = fault('protocol', 'the response body is too large');
    } else if (text.length < MAX_ERROR_CHARS) {
      text += piece;
    }
  };

  return {
    begin(code) {
      status = code;
      if (status < 200 || status > 299) mode = 'error';
    },
    chunk(chunk) {
      if (mode === 'undecided' && chunk[0] !== undefined && framing?.takes(chunk[0])) mode = 'framed';
      if (mode === 'framed') frame(framing?.feed(chunk, onData));
      else take(decoder.decode(chunk, { stream: true }));
      if (broken) return 'broken';
      return (mode === 'events' || mode === 'framed') && fold.ended() ? 'ended' : 'more';
    },
    result() {
      if (mode === 'framed') {
        if (!broken && !fold.ended()) frame(framing?.end(onData));
        return broken ?? fold.finish();
      }
      take(decoder.decode());
      if (mode === 'error') return classify({ status, body: text });
      if (mode === 'json') return broken ?? readWhole(fold, text);
      // Some servers leave out the last blank line; the last event counts without it.
      if (!broken && mode === 'events' && !fold.ended()) parser.feed('\n\n');
      if (broken) return broken;
      const answer = fold.finish();
      if (answer.type === 'fault' && events === 0) return notAnAnswer(text);
      return answer;
    },
  };
}

function readWhole(fold: Fold, text: string): Answer | Fault {
  const body = parseJson(text);
  if (body === undefined) return fault('connection', 'the response body is cut off or is not JSON');
  return fold.whole(body) ?? fold.finish();
}

function notAnAnswer(text: string): Fault {
  const head = text.trim().slice(0, HEAD_CHARS);
  if (head === '') return fault('connection', 'the response is empty');
  return fault('protocol', `the response is neither a stream of events nor JSON: ${head}`);
}
