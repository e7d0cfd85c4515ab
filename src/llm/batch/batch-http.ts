/** HTTP calls of the batch APIs, with the time-outs, retries, pauses and masking of all calls. */

import { JSON_LIMITS } from '../../core/text/json-limits.ts';
import { authHeaders, endpointUrl } from '../transport/endpoint.ts';
import { exchange } from '../transport/exchange.ts';
import { type Credential, loggedIn, maskOf } from '../transport/login.ts';
import { faultWithHeaders, redirectFault } from '../transport/response-faults.ts';
import { type Endpoint, type HttpShared, withRetries } from '../transport/retries.ts';
import { type Fault, fault, toFailure } from '../wire/fault.ts';
import type { Loose } from '../wire/loose-json.ts';
import { asObject, parseJson } from '../wire/loose-json.ts';
import type { WireError } from '../wire/wire.ts';

/** One call. */
export interface BatchCall {
  readonly method: 'GET' | 'POST';
  /** With its query, after the base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body and its content type; none for GET. */
  readonly body?: string;
  readonly contentType?: string;
  /** True: sent once, whatever happens. */
  readonly once?: boolean;
}

export interface BatchHttp {
  /** The JSON object of the response, or the fault. */
  json(
    call: BatchCall,
  ): Promise<{ readonly ok: true; readonly value: Loose } | { readonly ok: false; readonly fault: Fault }>;
  /** Reads a response of JSON lines; `take` gets each object. The lines of a failed attempt come again. */
  lines(call: BatchCall, take: (line: Loose) => void): Promise<Fault | null>;
}

/** What the calls need. */
export interface BatchConnection {
  readonly endpoint: Endpoint;
  readonly shared: HttpShared;
  readonly classify: (error: WireError) => Fault;
  /** The provider's own headers, with the key. */
  readonly headers: (key: string | null) => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Time limit of one call, retries included, in milliseconds. */
  readonly totalMs: number;
}

const MAX_JSON_CHARS = 32 * 1024 * 1024;
/** A longer line ends the download: a longer answer cannot be read. */
const MAX_LINE_BYTES = JSON_LIMITS.providerJson.bytes;
const MAX_ERROR_BYTES = 64 * 1024;

/** Creates the calls of one provider. */
export function batchHttp(connection: BatchConnection): BatchHttp {
  return {
    async json(call) {
      let text = '';
      const decoder = new TextDecoder();
      const problem = await send(call, connection, (status) => ({
        restart: () => {
          text = '';
        },
        chunk(chunk) {
          text += decoder.decode(chunk, { stream: true });
          return text.length <= (status < 300 ? MAX_JSON_CHARS : MAX_ERROR_BYTES);
        },
        end: () => (asObject(parseJson(text)) === null ? fault('protocol', 'the response is not a JSON object') : null),
        text: () => text,
        complete: () => status >= 300 || asObject(parseJson(text)) !== null,
      }));
      return problem ? { ok: false, fault: problem } : { ok: true, value: asObject(parseJson(text))! };
    },
    lines: (call, take) => send(call, connection, (status) => (status < 300 ? lineReader(take) : errorReader())),
  };
}

interface Reader {
  readonly restart?: () => void;
  /** False: too large. */
  chunk(chunk: Buffer): boolean;
  /** At the end of a body of status 2xx. */
  end(): Fault | null;
  text(): string;
  /** Whether the body is whole although the connection broke. */
  complete(): boolean;
}

async function send(
  call: BatchCall,
  connection: BatchConnection,
  open: (status: number) => Reader,
): Promise<Fault | null> {
  const { endpoint, shared, signal, totalMs } = connection;
  const retry = call.once ? { ...endpoint.retry, maxAttempts: 1 } : endpoint.retry;
  const { outcome, attempts, lost } = await withRetries<{ readonly type: 'done' }>({
    endpoint: { ...endpoint, retry },
    shared,
    signal,
    timeouts: { ...endpoint.timeouts, firstByteMs: totalMs, totalMs },
    // What a batch costs is known from its results.
    transport: null,
    attempt: (timeouts) =>
      loggedIn(endpoint.login, signal, (credential) => attempt(call, credential, timeouts, connection, open)),
  });
  if (outcome.type !== 'fault') return null;
  // Logged and stored: without secrets, and short.
  const from = { provider: endpoint.provider, model: '', attempts, lost };
  return { ...outcome, message: toFailure(outcome, from, maskOf(endpoint)).message };
}

async function attempt(
  call: BatchCall,
  credential: Credential,
  timeouts: Endpoint['timeouts'],
  { endpoint, shared, signal, classify, headers }: BatchConnection,
  open: (status: number) => Reader,
): Promise<{ readonly type: 'done' } | Fault> {
  const url = urlOf(endpoint.baseUrl, call.path);
  let reader: Reader | null = null;
  let tooLarge = false;
  const sent = {
    'accept-encoding': 'identity',
    accept: 'application/json',
    ...(call.body !== undefined && { 'content-type': call.contentType ?? 'application/json' }),
    ...authHeaders({ ...endpoint, apiKey: credential.key }, { ...headers(credential.key), ...call.headers }),
  };
  const exchanged = await exchange(
    {
      dispatcher: shared.dispatcher,
      url,
      method: call.method,
      headers: sent,
      body: call.body ?? null,
      timeouts,
      signal,
    },
    {
      begin(status) {
        reader = open(status);
        reader.restart?.();
      },
      chunk(chunk) {
        tooLarge = reader?.chunk(chunk) === false;
        return tooLarge ? 'broken' : 'more';
      },
      complete: () => reader?.complete() === true,
    },
  );
  if (exchanged.type === 'fault') return exchanged;
  const { status } = exchanged;
  const text = (reader as Reader | null)?.text() ?? '';
  const problem =
    redirectFault(status, exchanged.headers, url) ??
    (status < 200 || status > 299 ? { ...classify({ status, body: text }), httpStatus: status } : null) ??
    (tooLarge ? fault('protocol', 'the response is too large', { retryable: false }) : null) ??
    (reader as Reader | null)?.end() ??
    null;
  return problem ? faultWithHeaders(problem, exchanged.headers, shared.clock.nowMs()) : { type: 'done' };
}

/** The base URL's query is kept, as for every call. */
function urlOf(baseUrl: URL, path: string): URL {
  const [bare = '', query = ''] = path.split('?');
  const url = endpointUrl(baseUrl, bare);
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return url;
}

/** Marks a whole line that is not JSON, or is nested too deep: its request has an answer that cannot be read. */
export const UNREADABLE = 'animus_unreadable';
const CUSTOM_ID = /"custom_id"\s*:\s*"([\w-]{1,64})"/;

/** Decodes line by line: a file of results may be hundreds of megabytes. */
function lineReader(take: (line: Loose) => void): Reader {
  let pieces: Buffer[] = [];
  let size = 0;
  let broken: Fault | null = null;
  const finish = (ended: boolean) => {
    const text = Buffer.concat(pieces).toString('utf8').trim();
    pieces = [];
    size = 0;
    if (text === '') return;
    const line = asObject(parseJson(text));
    if (line) take(line);
    else if (ended) take({ custom_id: CUSTOM_ID.exec(text)?.[1] ?? null, [UNREADABLE]: true });
    else broken = fault('connection', 'the last line of the results is cut off or is not JSON');
  };
  return {
    chunk(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        pieces.push(chunk.subarray(from, at));
        finish(true);
        from = at + 1;
      }
      pieces.push(chunk.subarray(from));
      size += chunk.length - from;
      return size <= MAX_LINE_BYTES;
    },
    end() {
      finish(false);
      return broken;
    },
    text: () => '',
    complete: () => false,
  };
}

function errorReader(): Reader {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    chunk(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      return size <= MAX_ERROR_BYTES;
    },
    end: () => null,
    complete: () => true,
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
