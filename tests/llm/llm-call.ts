import type { LlmEvent, LlmFailure, LlmRequest, LlmResponse, LlmResult } from '../../src/llm/client.ts';
import { createLlm, type Llm, type LlmEnvironment } from '../../src/llm/llm.ts';
import type { HttpProviderSettings } from '../../src/llm/provider-settings.ts';

/** A tool for requests that need one. */
export const TOOL = { name: 'read_file', description: 'reads', inputSchema: { type: 'object', properties: {} } };

/** An `Llm` with one provider `p`, whose back-off is next to nothing. */
export function llmOf(
  settings: Partial<HttpProviderSettings> & Pick<HttpProviderSettings, 'kind' | 'baseUrl'>,
  environment: LlmEnvironment = {},
): Llm {
  const provider = { apiKey: 'key-for-tests', ...settings, retry: { baseDelayMs: 1, ...settings.retry } };
  return createLlm({ defaultProvider: 'p', providers: { p: provider } }, environment);
}

/** A small request. */
export function requestOf(over: Partial<LlmRequest> = {}): LlmRequest {
  const messages: LlmRequest['messages'] = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }];
  return { model: 'some-model', system: 'be brief', tools: [TOOL], messages, maxTokens: 100, ...over };
}

/** One call with 20 s of patience; `provider`: of a model whose name has a slash of its own. */
export function call(
  llm: Llm,
  over: Partial<LlmRequest> = {},
  onEvent?: (event: LlmEvent) => void,
  provider?: string,
): Promise<LlmResult> {
  const request = requestOf(over);
  const { client } = llm.resolve(provider === undefined ? request.model : `${provider}/${request.model}`);
  return client.complete(request, { signal: AbortSignal.timeout(20_000), ...(onEvent && { onEvent }) });
}

/** The response, or an error with the failure's words. */
export function answered(result: LlmResult): LlmResponse {
  if (!result.ok) throw new Error(`failed: ${result.failure.kind}: ${result.failure.message}`);
  return result.response;
}

/** The failure, or an error. */
export function failed(result: LlmResult): LlmFailure {
  if (result.ok) throw new Error(`was answered: ${JSON.stringify(result.response.content)}`);
  return result.failure;
}
