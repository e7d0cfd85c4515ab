/** HTTP calls of the batch APIs, with the time-outs, retries, pauses and masking of all calls. */
import { JSON_LIMITS } from '../../core/text/json-limits.ts';
import { MAX_ERROR_BYTES, tooLarge } from '../transport/body-limits.ts';
import { endpointUrl } from '../transport/endpoint.ts';
import { fetchOutcome } from '../transport/fetch-json.ts';
import { loggedIn, maskOf } from '../transport/login.ts';
import { isSuccess } from '../transport/response-faults.ts';
import { type Endpoint, type HttpShared, withRetries } from '../transport/retries.ts';
import { type ResponseReader, sendRequest } from '../transport/send-request.ts';
import { type Fault, fault, toldMessage } from '../wire/fault.ts';
import { asObject, type Loose, parseJson } from '../wire/loose-json.ts';
import type { WireError } from '../wire/wire.ts';

/** One call. */
export interface BatchCall {
  /** With its query, after the base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of a POST and its content type; a GET has none. */
  readonly body?: string;
  readonly contentType?: string;
  /** True: sent once, whatever happens. */
  readonly once?: boolean;
}

/** The JSON object of a response, or the fault. */
export type BatchReply = { readonly ok: true; readonly value: Loose } | { readonly ok: false; readonly fault: Fault };

export interface BatchHttp {
  json(call: BatchCall): Promise<BatchReply>;
  /** Reads a response of JSON lines; `take` gets each object. The lines of a failed attempt come again. */
  lines(path: string, take: (line: Loose) => void): Promise<Fault | null>;
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

/** Creates the calls of one provider. */
export function batchHttp({ endpoint, totalMs, ...connection }: BatchConnection): BatchHttp {
  const timeouts = { ...endpoint.timeouts, firstByteMs: totalMs, totalMs };
  const { shared, signal, headers, classify } = connection;
  // Logged and stored: without secrets, and short.
  const told = (cause: Fault): Fault => ({ ...cause, message: toldMessage(cause, maskOf(endpoint)) });
  return {
    async json({ path, headers: more, body = null, contentType, once = false }) {
      const retry = once ? { ...endpoint.retry, maxAttempts: 1 } : endpoint.retry;
      const { outcome } = await fetchOutcome({
        ...connection,
        endpoint: { ...endpoint, timeouts, retry },
        path,
        headers: (key) => ({ ...headers(key), ...more }),
        body,
        contentType,
        check: (value) => (asObject(value) ? null : fault('protocol', 'the response is not a JSON object')),
        // What a batch costs is known from its results.
        transport: null,
      });
      return outcome.type === 'fault'
        ? { ok: false, fault: told(outcome) }
        : { ok: true, value: outcome.value as Loose };
    },
    async lines(path, take) {
      const request = { endpoint, shared, signal, headers, url: endpointUrl(endpoint.baseUrl, path), body: null };
      const { outcome } = await withRetries<{ readonly type: 'read' }>({
        endpoint,
        shared,
        signal,
        timeouts,
        transport: null,
        attempt: (limits) =>
          loggedIn(endpoint.login, signal, (credential) =>
            sendRequest(request, credential, limits, lineReader(take, classify)),
          ),
      });
      return outcome.type === 'fault' ? told(outcome) : null;
    },
  };
}

/** A longer line ends the download: a longer answer cannot be read. */
const MAX_LINE_BYTES = JSON_LIMITS.providerJson.bytes;

/** Marks a whole line that is not JSON, or is nested too deep: its request has an answer that cannot be read. */
export const UNREADABLE = 'animus_unreadable';
const CUSTOM_ID = /"custom_id"\s*:\s*"([\w-]{1,64})"/;

/** Decodes line by line: a file of results may be hundreds of megabytes. The body of an error is one line. */
function lineReader(
  take: (line: Loose) => void,
  classify: BatchConnection['classify'],
): ResponseReader<{ readonly type: 'read' }> {
  let status = 0;
  let pieces: Buffer[] = [];
  let size = 0;
  const rest = () => Buffer.concat(pieces).toString('utf8').trim();
  const endLine = () => {
    const text = rest();
    pieces = [];
    size = 0;
    if (text === '') return;
    take(asObject(parseJson(text)) ?? { custom_id: CUSTOM_ID.exec(text)?.[1] ?? null, [UNREADABLE]: true });
  };
  const add = (piece: Buffer) => {
    pieces.push(piece);
    size += piece.length;
  };
  return {
    begin(begun) {
      status = begun;
    },
    chunk(chunk) {
      let from = 0;
      for (let at = isSuccess(status) ? chunk.indexOf(10) : -1; at >= 0; at = chunk.indexOf(10, from)) {
        add(chunk.subarray(from, at));
        endLine();
        from = at + 1;
      }
      add(chunk.subarray(from));
      return size > (isSuccess(status) ? MAX_LINE_BYTES : MAX_ERROR_BYTES) ? 'broken' : 'more';
    },
    complete: () => !isSuccess(status),
    result() {
      if (!isSuccess(status)) return classify({ status, body: rest() });
      if (size > MAX_LINE_BYTES) return tooLarge('the response');
      const last = asObject(parseJson(rest()));
      if (last === null && rest() !== '')
        return fault('connection', 'the last line of the results is cut off or is not JSON');
      if (last) take(last);
      return { type: 'read' };
    },
  };
}
