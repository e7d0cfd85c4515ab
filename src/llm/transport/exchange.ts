import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { messageOf } from '../../core/errors.ts';
import type { Timeouts } from '../client.ts';
import { type Fault, fault } from '../fault.ts';
import { showUrl } from './mask.ts';

/** One HTTP request and how long to wait for what. */
export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal;
}

/** Headers came and the body has been read to its end, or as far as the reader wanted. */
export interface Exchanged {
  readonly type: 'exchanged';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Takes the body piece by piece. */
export interface BodyReader {
  /** Called once, before any chunk. */
  begin(status: number): void;
  /**
   * `ended`: nothing more is expected; the connection gets a moment to end by itself, so that it can be reused.
   * `broken`: the rest is of no interest; the socket is closed.
   */
  chunk(chunk: Buffer): 'more' | 'ended' | 'broken';
}

/** After its end marker a server gets this long to end the response; then the socket is closed and nobody minds. */
const AFTER_END_MS = 500;

type Why = 'aborted' | 'first_byte' | 'idle' | 'total' | 'after_end';

/**
 * Sends one request and reads the answer. The first cause of an end wins; whichever it is, the socket is closed before
 * this resolves or reused by the pool. Redirects are not followed: the key would go with them.
 */
export async function exchange(options: ExchangeOptions, reader: BodyReader): Promise<Exchanged | Fault> {
  const { timeouts, signal } = options;
  const controller = new AbortController();
  const watch: { why: Why | null } = { why: null };
  const end = (why: Why) => {
    watch.why ??= why;
    controller.abort();
  };
  const onAbort = () => end('aborted');
  if (signal.aborted) return fault('aborted', 'aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  const total = timer(timeouts.totalMs, () => end('total'));
  let step = timer(timeouts.firstByteMs, () => end('first_byte'));
  let answer: Exchanged | null = null;
  let ended = false;
  try {
    const response = await send(options, controller.signal);
    clearTimeout(step);
    step = timer(timeouts.streamIdleMs, () => end('idle'));
    answer = { type: 'exchanged', status: response.statusCode, headers: response.headers };
    reader.begin(response.statusCode);
    for await (const chunk of response.body) {
      if (ended) continue;
      step?.refresh();
      const state = reader.chunk(chunk as Buffer);
      if (state === 'broken') {
        controller.abort();
        return answer;
      }
      if (state === 'ended') {
        ended = true;
        clearTimeout(step);
        step = timer(AFTER_END_MS, () => end('after_end'));
      }
    }
    return answer;
  } catch (error) {
    // What came before the end marker is complete: how the connection ends after it is nobody's business.
    if (ended && answer && watch.why !== 'aborted') return answer;
    return watch.why && watch.why !== 'after_end' ? endedBy(watch.why, timeouts) : transportFault(error, options.url);
  } finally {
    clearTimeout(total);
    clearTimeout(step);
    signal.removeEventListener('abort', onAbort);
  }
}

async function send(options: ExchangeOptions, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { url, method, headers, body, dispatcher } = options;
  return dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers,
    body,
    signal,
    // Ours are exact and told apart; undici's are coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function endedBy(why: Exclude<Why, 'after_end'>, timeouts: Timeouts): Fault {
  switch (why) {
    case 'aborted':
      return fault('aborted', 'aborted');
    case 'first_byte':
      return fault('timeout', `no response within ${timeouts.firstByteMs} ms (first-byte time-out)`);
    case 'idle':
      return fault('timeout', `the stream fell silent for ${timeouts.streamIdleMs} ms (stream-idle time-out)`);
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
  return fault('connection', `connection to ${showUrl(url)} failed: ${messageOf(error)}${code && ` (${code})`}`);
}

function timer(ms: number, act: () => void): NodeJS.Timeout | undefined {
  return ms > 0 && Number.isFinite(ms) ? setTimeout(act, Math.min(ms, 2 ** 31 - 1)) : undefined;
}
