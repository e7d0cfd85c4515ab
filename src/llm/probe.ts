import type { LlmClient, LlmFailure } from './client.ts';
import { fetchJson, type JsonResult } from './transport/fetch-json.ts';
import type { Endpoint, HttpShared } from './transport/retries.ts';
import { asArray, asObject, asString } from './wire/loose-json.ts';
import { isLasting } from './wire/status-kind.ts';
import type { Wire } from './wire/wire.ts';

/** The result of a probe. */
export type ProbeResult =
  | {
      readonly ok: true;
      readonly durationMs: number;
      /** Whether the model is in the provider's list; null if there is no list and the model itself answered. */
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
 * Verifies address and key with the provider's list of models, which costs nothing; without a list, with an answer of at
 * most 16 tokens. One attempt each, because the doctor reports the current state.
 */
export async function probe(what: Probe): Promise<ProbeResult> {
  const { shared, model } = what;
  const startedMs = shared.clock.monotonicMs();
  const list = await listModels(what);
  if (list?.ok) {
    return { ok: true, durationMs: shared.clock.monotonicMs() - startedMs, listed: namesIn(list.value).has(model) };
  }
  if (list && !isLasting(list.failure.httpStatus)) return list;
  const content = [{ type: 'text', text: 'Say ok.' }] as const;
  const request = { model, system: '', tools: [], messages: [{ role: 'user', content }], maxTokens: 16 } as const;
  const result = await what.client.complete(request, { signal: what.signal });
  if (!result.ok) return result;
  return { ok: true, durationMs: shared.clock.monotonicMs() - startedMs, listed: null };
}

/** The names in a list of models. Ollama has another form than the others, and leaves out `:latest` when it is asked. */
function namesIn(list: unknown): ReadonlySet<string> {
  const ids = asArray(asObject(list)?.['data']).map((each) => asString(asObject(each)?.['id']) ?? '');
  const names = asArray(asObject(list)?.['models']).map((each) => asString(asObject(each)?.['name']) ?? '');
  return new Set([...ids, ...names, ...names.map((name) => name.replace(/:latest$/, ''))]);
}

function listModels({ endpoint, shared, wire, model, signal }: Probe): Promise<JsonResult> | null {
  const path = wire.modelsPath;
  if (path === null) return null;
  const once = { ...endpoint, retry: { ...endpoint.retry, maxAttempts: 1 } };
  const headers = (key: string | null) => wire.headers(key, null);
  const { classify } = wire;
  return fetchJson({ endpoint: once, shared, signal, path, headers, body: null, classify, transport: null }, model);
}
