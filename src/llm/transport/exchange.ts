import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { messageOf } from '../../core/errors/errors.ts';
import type { Timeouts } from '../client.ts';
import { type Fault, fault } from '../wire/fault.ts';
import { ERROR_BODY_MS } from './body-limits.ts';
import { startDeadlines } from './deadlines.ts';
import { showUrl } from './mask.ts';
import { networkTrouble } from './network-trouble.ts';
import { encodingFault } from './response-faults.ts';

/** One HTTP request and its time-outs. */
export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal;
}

/** The headers arrived, and the body was read to its end or until the reader stopped. */
export interface Exchanged {
  readonly type: 'exchanged';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Receives the body in chunks. */
export interface BodyReader {
  /** Called once, before any chunk. */
  begin(status: number): void;
  /**
   * `whole`: the answer is there, and only counts and end markers may follow. `ended`: nothing more is expected; the server gets a
   * moment to end the response, so that the connection can be reused.
   * `broken`: the rest is not needed; the socket is closed.
   */
  chunk(chunk: Buffer): 'more' | 'whole' | 'ended' | 'broken';
  /**
   * Called once if the connection breaks or a time-out ends it. True: what came is enough for a result, and the way it ended
   * does not matter.
   */
  complete(): boolean;
}

/** How long a server may take to end the response after its end marker; then the socket is closed without an error. */
const AFTER_END_MS = 500;

/** What takes its time: the first byte, the next piece of the body, and the end of the response after its end marker. */
type Step = 'first_byte' | 'idle' | 'after_end';

type Why = 'aborted' | 'first_byte' | 'idle' | 'total';

/**
 * Sends one request and reads the answer. The first cause of termination wins; in all cases the socket is closed or back
 * in its pool. Redirects are not followed, because the key would be sent along. Rejects only if the reader throws, which
 * is a bug. Uses undici's dispatcher directly: its body streams cost as much as all our processing.
 */
export function exchange(options: ExchangeOptions, reader: BodyReader): Promise<Exchanged | Fault> {
  if (options.signal.aborted) return Promise.resolve(fault('aborted', 'aborted', { way: 'unsent' }));
  return new Promise((resolve, reject) => {
    const { timeouts, signal, url } = options;
    let connection: Dispatcher.DispatchController | null = null;
    let answer: Exchanged | null = null;
    let settled = false;
    let ended = false;
    let isError = false;
    const isSettled = () => settled;

    const settle = (act: () => void): void => {
      if (settled) return;
      settled = true;
      deadlines.stop();
      signal.removeEventListener('abort', onAbort);
      act();
    };
    /** Settles first, so that errors of the closing socket are ignored. */
    const close = (act: () => void): void => {
      settle(act);
      connection?.abort(CLOSED);
    };
    /** The end from outside. The answer counts if all of it has come; rejects only if the reader throws. */
    const breakOff = (cause: Fault): void => {
      try {
        const isWhole = answer !== null && cause.kind !== 'aborted' && (ended || reader.complete());
        // Without a connection, nothing was sent.
        const failed: Fault = connection === null ? { ...cause, way: 'unsent' } : cause;
        resolve(isWhole && answer ? answer : failed);
      } catch (error) {
        reject(error);
      }
    };
    const end = (why: Why): void => close(() => breakOff(endedBy(why, timeouts)));
    const onAbort = (): void => end('aborted');
    // Until the request is sent, the connect time-out of the pool applies.
    const deadlines = startDeadlines<Step>(timeouts.totalMs, (limit) => {
      const whole = answer;
      if (limit !== 'after_end') end(limit);
      else if (whole) close(() => resolve(whole));
    });
    signal.addEventListener('abort', onAbort, { once: true });

    options.dispatcher.dispatch(dispatchOptions(options), {
      onRequestStart(controller) {
        connection = controller;
        if (settled) controller.abort(CLOSED);
        else deadlines.enter('first_byte', timeouts.firstByteMs);
      },
      onResponseStart(_, status, headers) {
        if (status < 200 || settled) return;
        const begun: Exchanged = { type: 'exchanged', status, headers };
        answer = begun;
        isError = status > 299;
        reader.begin(status);
        const coded = encodingFault(headers);
        if (coded) close(() => resolve(isError ? begun : coded));
        else deadlines.enter('idle', bodyMs(timeouts, isError));
      },
      onResponseData(_, chunk) {
        if (settled || ended || !answer) return;
        const whole = answer;
        try {
          const state = reader.chunk(chunk);
          // The caller may have aborted just now: a cleared timer must not be set again.
          if (isSettled()) return;
          if (state === 'broken') close(() => resolve(whole));
          else if (state === 'more') {
            // The time for the body of an error is for all of it.
            if (!isError) deadlines.renew();
          } else if (state === 'whole') {
            deadlines.enter('idle', afterAnswerMs(timeouts));
          } else {
            ended = true;
            deadlines.enter('after_end', AFTER_END_MS);
          }
        } catch (error) {
          close(() => reject(error));
        }
      },
      onResponseEnd() {
        const whole = answer;
        settle(() => resolve(whole ?? fault('connection', `connection to ${showUrl(url)} ended without a response`)));
      },
      onResponseError(_, error) {
        settle(() => breakOff(transportFault(error, url)));
      },
    });
  });
}

/** Between two pieces of a body; for the body of an error, for all of it. */
function bodyMs({ streamIdleMs }: Timeouts, isError: boolean): number {
  return isError ? Math.min(streamIdleMs || ERROR_BODY_MS, ERROR_BODY_MS) : streamIdleMs;
}

/** After a whole answer, token counts follow at once, or at some gateways after a few seconds. */
function afterAnswerMs({ streamIdleMs }: Timeouts): number {
  return Math.min(streamIdleMs, Math.max(1000, streamIdleMs / 10));
}

/** The reason for closing a connection from our side; it is never shown. */
const CLOSED = new Error('closed by animus');

function dispatchOptions({ url, method, headers, body }: ExchangeOptions): Dispatcher.DispatchOptions {
  const path = url.pathname + url.search;
  // Our time-outs are exact and distinguished by cause; undici's are coarse.
  return { origin: url.origin, path, method, headers, body, headersTimeout: 0, bodyTimeout: 0 };
}

function endedBy(why: Why, timeouts: Timeouts): Fault {
  switch (why) {
    case 'aborted':
      return fault('aborted', 'aborted');
    case 'first_byte':
      return fault('timeout', `no response within ${timeouts.firstByteMs} ms (first-byte time-out)`);
    case 'idle':
      return fault('timeout', `the stream sent nothing for ${timeouts.streamIdleMs} ms (stream-idle time-out)`);
    case 'total':
      return fault('timeout', `the call took longer than its total time-out`, { retryable: false });
    default:
      return why satisfies never;
  }
}

function transportFault(error: unknown, url: URL): Fault {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return fault('timeout', `cannot connect to ${showUrl(url)}: connect time-out`);
  const said = messageOf(error);
  const network = networkTrouble(code, said);
  // undici refuses control characters and others, and names the header, not its value.
  if (code === 'UND_ERR_INVALID_ARG' && network === undefined)
    return fault('credentials', `${said}: it has a character that HTTP cannot carry`);
  const message = `connection to ${showUrl(url)} failed: ${said}${code && ` (${code})`}`;
  return fault('connection', message, network && { network });
}
