import { wayOfResponse } from '../failure-costs.ts';
import { type Fault, isFault } from '../wire/fault.ts';
import { authHeaders } from './endpoint.ts';
import { type BodyReader, exchange } from './exchange.ts';
import type { Credential } from './login.ts';
import { faultWithHeaders, redirectFault } from './response-faults.ts';
import type { Endpoint, HttpShared } from './retries.ts';

/** A request to a provider. */
export interface ProviderRequest {
  readonly endpoint: Endpoint;
  readonly shared: HttpShared;
  readonly url: URL;
  /** The wire's own headers, by the key in use. */
  readonly headers: (key: string | null) => Readonly<Record<string, string>>;
  /** Default: JSON. */
  readonly accept?: string;
  /** Null: a GET without a body. */
  readonly body: string | null;
  /** Of the body; default: JSON. */
  readonly contentType?: string | undefined;
  readonly signal: AbortSignal;
  /** Awaited right before it is sent; a fault: it is not sent. */
  readonly beforeSend?: (() => Promise<Fault | null>) | undefined;
}

/** Reads one response. */
export interface ResponseReader<Success> extends BodyReader {
  /** The result or the fault, at the end of the body. */
  result(): Success | Fault | Promise<Success | Fault>;
  /** True once a part of an answer has come. Default: never. */
  readonly began?: () => boolean;
}

/** One HTTP exchange with a credential. */
export async function sendRequest<Success extends { readonly type: string }>(
  request: ProviderRequest,
  credential: Credential,
  timeouts: Endpoint['timeouts'],
  reader: ResponseReader<Success>,
): Promise<Success | Fault> {
  const { endpoint, shared, url, body, signal, accept = 'application/json' } = request;
  const method = body === null ? 'GET' : 'POST';
  const plain = {
    'accept-encoding': 'identity',
    accept,
    ...(body !== null && { 'content-type': request.contentType ?? 'application/json' }),
    ...authHeaders({ ...endpoint, apiKey: credential.key }, request.headers(credential.key)),
  };
  const headers = (await endpoint.sign?.({ method, url, headers: plain, body }, credential)) ?? plain;
  if (isFault(headers)) return { ...headers, way: 'unsent' };
  const stopped = await request.beforeSend?.();
  if (stopped) return { ...stopped, way: 'unsent' };
  const { dispatcher, clock } = shared;
  const exchanged = await exchange({ dispatcher, url, method, headers, body, timeouts, signal }, reader);
  if (exchanged.type === 'fault') return exchanged;
  const { status } = exchanged;
  const result = redirectFault(status, exchanged.headers, url) ?? (await reader.result());
  if (!isFault(result)) return result;
  const failed = faultWithHeaders(result, exchanged.headers, clock.nowMs());
  return { ...failed, way: wayOfResponse(status, failed.kind, reader.began?.() ?? false) };
}
