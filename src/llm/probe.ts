import type { LlmClient, LlmFailure } from './client.ts';
import { fetchJson, type JsonResult } from './transport/fetch-json.ts';
import type { Endpoint, HttpShared } from './transport/retries.ts';
import { asArray, asObject, asString } from './wire/loose-json.ts';
import type { Wire } from './wire/wire.ts';

/** What a cheap call found. */
export type ProbeResult =
  | {
      readonly ok: true;
      readonly durationMs: number;
      /** Is the model in the provider's list? Null where it has none, and the model itself has answered. */
      readonly listed: boolean | null;
    }
  | { readonly ok: false; readonly failure: LlmFailure };

/** What to probe. */
export interface Probe {
  readonly endpoint: Endpoint;
  readonly shared: HttpShared;
  readonly wire: Wire;
  readonly client: LlmClient;
  readonly model: string;
  readonly signal: AbortSignal;
}

/**
 * Proves address and key by the provider's list of models, which costs nothing; where there is none, by an answer of at
 * most 16 tokens. One attempt each: a doctor tells what it finds, it does not wait for better times.
 */
export async function probe(what: Probe): Promise<ProbeResult> {
  const { shared, model } = what;
  const startedMs = shared.clock.monotonicMs();
  const list = await listModels(what);
  if (list.ok) {
    const ids = asArray(asObject(list.value)?.['data']).map((each) => asString(asObject(each)?.['id']));
    return { ok: true, durationMs: shared.clock.monotonicMs() - startedMs, listed: ids.includes(model) };
  }
  if (list.failure.httpStatus !== 404 && list.failure.httpStatus !== 405) return list;
  const content = [{ type: 'text', text: 'Say ok.' }] as const;
  const request = { model, system: '', tools: [], messages: [{ role: 'user', content }], maxTokens: 16 } as const;
  const result = await what.client.complete(request, { signal: what.signal });
  if (!result.ok) return result;
  return { ok: true, durationMs: shared.clock.monotonicMs() - startedMs, listed: null };
}

function listModels({ endpoint, shared, wire, model, signal }: Probe): Promise<JsonResult> {
  return fetchJson({
    endpoint: { ...endpoint, retry: { ...endpoint.retry, maxAttempts: 1 } },
    shared,
    signal,
    model,
    method: 'GET',
    path: wire.modelsPath,
    headers: wire.headers(endpoint.apiKey, null),
    body: null,
    classify: wire.classify,
  });
}
