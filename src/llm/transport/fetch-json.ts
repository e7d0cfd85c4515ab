import type { JsonLimits } from '../../core/text/json-bounds.ts';
import type { LlmFailure } from '../client.ts';
import { type Transport, wayOfResponse } from '../failure-costs.ts';
import { type Fault, fault, isFault, jsonBeyond, toFailure } from '../wire/fault.ts';
import { parseCounted, parseJson } from '../wire/loose-json.ts';
import type { WireError } from '../wire/wire.ts';
import { MAX_ERROR_BYTES, MAX_JSON_BYTES, tooLarge } from './body-limits.ts';
import { authHeaders, endpointUrl } from './endpoint.ts';
import { exchange } from './exchange.ts';
import { type Credential, loggedIn, maskOf } from './login.ts';
import { faultWithHeaders, notJson, redirectFault } from './response-faults.ts';
import { type Endpoint, type HttpShared, withRetries } from './retries.ts';
import { toJson } from './to-json.ts';

/** A plain call to a provider: an optional JSON body in the request, one in the response. */
export interface JsonCall {
  readonly endpoint: Endpoint;
  readonly shared: HttpShared;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** By the key in use. */
  readonly headers: (apiKey: string | null) => Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The model, for the failure; '' for none. */
  readonly model: string;
  readonly classify: (error: WireError) => Fault;
  /** What is wrong with the body of a response with status 2xx; null: nothing. Default: nothing ever is. */
  readonly check?: (value: unknown) => Fault | null;
  /** What the answer may be; default `providerJson`. */
  readonly limits?: JsonLimits;
  /** As in `RetriedCall`; null: it costs nothing. */
  readonly transport: Transport | null;
  /** True: a request that may have cost something is not sent again. Default false. */
  readonly payOnce?: boolean;
  readonly signal: AbortSignal;
  /** Asked right before each request, retries included; false: it is not sent, and the call fails as `aborted`. */
  readonly maySend?: MaySend;
}

/** Whether a request may be sent now. Never rejects. */
export type MaySend = () => Promise<boolean>;

/** The parsed body, or the failure. */
export type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: LlmFailure };

/** Sends a plain call with the same retries, pauses, time-outs and masking as a completion. */
export async function fetchJson(call: JsonCall): Promise<JsonResult> {
  const { endpoint, shared, signal, model } = call;
  const { outcome, attempts, lost } = await withRetries<Fetched>({
    endpoint,
    shared,
    signal,
    timeouts: endpoint.timeouts,
    transport: call.transport,
    payOnce: call.payOnce ?? false,
    attempt: (timeouts) => loggedIn(endpoint.login, signal, (credential) => attempt(call, credential, timeouts)),
  });
  if (outcome.type === 'fetched') return { ok: true, value: outcome.value };
  const from = { provider: endpoint.provider, model, attempts, lost };
  return { ok: false, failure: toFailure(outcome, from, maskOf(endpoint)) };
}

interface Fetched {
  readonly type: 'fetched';
  readonly value: unknown;
}

async function attempt(
  call: JsonCall,
  credential: Credential,
  timeouts: Endpoint['timeouts'],
): Promise<Fetched | Fault> {
  const { endpoint, shared, method, signal } = call;
  const url = endpointUrl(endpoint.baseUrl, call.path);
  const chunks: Buffer[] = [];
  let size = 0;
  let limit = MAX_JSON_BYTES;
  const text = () => Buffer.concat(chunks).toString('utf8');
  const plain = {
    'accept-encoding': 'identity',
    accept: 'application/json',
    ...(method === 'POST' && { 'content-type': 'application/json' }),
    ...authHeaders({ ...endpoint, apiKey: credential.key }, call.headers(credential.key)),
  };
  const body = method === 'POST' ? toJson(call.body) : null;
  const headers = (await endpoint.sign?.({ method, url, headers: plain, body }, credential)) ?? plain;
  if (isFault(headers)) return { ...headers, way: 'unsent' };
  if ((await call.maySend?.()) === false)
    return fault('aborted', 'not sent: this process no longer holds the work', { way: 'unsent' });
  const exchanged = await exchange(
    { dispatcher: shared.dispatcher, url, method, headers, body, timeouts, signal },
    {
      begin(status) {
        if (!isSuccess(status)) limit = MAX_ERROR_BYTES;
      },
      chunk(chunk) {
        chunks.push(chunk);
        size += chunk.length;
        return size > limit ? 'broken' : 'more';
      },
      complete: () => limit < MAX_JSON_BYTES || parseJson(text(), call.limits) !== undefined,
    },
  );
  if (exchanged.type === 'fault') return exchanged;
  const read = () =>
    isSuccess(exchanged.status) && size > limit ? tooLarge('the response body') : parse(exchanged.status, text(), call);
  const result = redirectFault(exchanged.status, exchanged.headers, url) ?? read();
  if (result.type !== 'fault') return result;
  const failed = faultWithHeaders(result, exchanged.headers, shared.clock.nowMs());
  return { ...failed, way: wayOfResponse(exchanged.status, failed.kind, false) };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function parse(status: number, body: string, call: JsonCall): Fetched | Fault {
  if (!isSuccess(status)) return call.classify({ status, body });
  const beyond = jsonBeyond(body, call.limits);
  if (beyond !== null) return beyond;
  const value = parseCounted(body);
  if (value === undefined) return notJson(body);
  return call.check?.(value) ?? { type: 'fetched', value };
}
