import type { JsonLimits } from '../../core/text/json-bounds.ts';
import type { LlmFailure } from '../client.ts';
import type { Transport } from '../failure-costs.ts';
import { type Fault, fault, jsonBeyond, toFailure } from '../wire/fault.ts';
import { parseCounted, parseJson } from '../wire/loose-json.ts';
import type { WireError } from '../wire/wire.ts';
import { MAX_ERROR_BYTES, MAX_JSON_BYTES, tooLarge } from './body-limits.ts';
import { endpointUrl } from './endpoint.ts';
import { loggedIn, maskOf } from './login.ts';
import { isSuccess, notJson } from './response-faults.ts';
import { type RetriedOutcome, withRetries } from './retries.ts';
import { type ProviderRequest, type ResponseReader, sendRequest } from './send-request.ts';

/** A plain call to a provider: an optional body in the request, JSON in the response. */
export interface JsonCall extends Omit<ProviderRequest, 'url' | 'accept' | 'beforeSend'> {
  /** After the base URL, with its query. */
  readonly path: string;
  readonly classify: (error: WireError) => Fault;
  /** What is wrong with the body of a response with status 2xx; null: nothing. Default: nothing ever is. */
  readonly check?: (value: unknown) => Fault | null;
  /** What the answer may be; default `providerJson`. */
  readonly limits?: JsonLimits;
  /** As in `RetriedCall`; null: it costs nothing. */
  readonly transport: Transport | null;
  /** True: a request that may have cost something is not sent again. Default false. */
  readonly payOnce?: boolean;
  /** Asked right before each request, retries included; false: it is not sent, and the call fails as `aborted`. */
  readonly maySend?: MaySend;
}

/** Whether a request may be sent now. Never rejects. */
export type MaySend = () => Promise<boolean>;

/** The parsed body, or the failure. */
export type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: LlmFailure };

/** Sends a plain call with the same retries, pauses, time-outs and masking as a completion. `model` is for the failure; '' for none. */
export async function fetchJson(call: JsonCall, model: string): Promise<JsonResult> {
  const { outcome, attempts, lost } = await fetchOutcome(call);
  if (outcome.type === 'fetched') return { ok: true, value: outcome.value };
  const { endpoint } = call;
  const from = { provider: endpoint.provider, model, attempts, lost };
  return { ok: false, failure: toFailure(outcome, from, maskOf(endpoint)) };
}

interface Fetched {
  readonly type: 'fetched';
  readonly value: unknown;
}

/** The same with the fault of the last attempt, whose message is not masked. */
export function fetchOutcome(call: JsonCall): Promise<RetriedOutcome<Fetched>> {
  const { endpoint, shared, signal, maySend } = call;
  const url = endpointUrl(endpoint.baseUrl, call.path);
  const beforeSend = maySend && (async () => ((await maySend()) ? null : NOT_HELD));
  return withRetries<Fetched>({
    endpoint,
    shared,
    signal,
    timeouts: endpoint.timeouts,
    transport: call.transport,
    payOnce: call.payOnce ?? false,
    attempt: (timeouts) =>
      loggedIn(endpoint.login, signal, (credential) =>
        sendRequest({ ...call, url, beforeSend }, credential, timeouts, jsonReader(call)),
      ),
  });
}

const NOT_HELD = fault('aborted', 'not sent: this process no longer holds the work');

function jsonReader(call: JsonCall): ResponseReader<Fetched> {
  const chunks: Buffer[] = [];
  let size = 0;
  let limit = MAX_JSON_BYTES;
  let status = 0;
  const text = () => Buffer.concat(chunks).toString('utf8');
  return {
    begin(begun) {
      status = begun;
      if (!isSuccess(status)) limit = MAX_ERROR_BYTES;
    },
    chunk(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      return size > limit ? 'broken' : 'more';
    },
    complete: () => !isSuccess(status) || parseJson(text(), call.limits) !== undefined,
    result() {
      if (!isSuccess(status)) return call.classify({ status, body: text() });
      return size > limit ? tooLarge('the response body') : parse(text(), call);
    },
  };
}

function parse(body: string, call: JsonCall): Fetched | Fault {
  const beyond = jsonBeyond(body, call.limits);
  if (beyond !== null) return beyond;
  const value = parseCounted(body);
  if (value === undefined) return notJson(body);
  return call.check?.(value) ?? { type: 'fetched', value };
}
