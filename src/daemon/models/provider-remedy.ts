/** The remedy for a failing provider. */
import type { ProviderConfig } from '../../core/config/config.ts';
import type { LlmFailure } from '../../llm/client.ts';

/** One clause, or null when one can only wait or check the request. */
export function remedyOf({ kind }: Pick<LlmFailure, 'kind'>, provider: ProviderConfig): string | null {
  if (provider.kind === 'scripted') return null;
  switch (kind) {
    case 'credentials': {
      const variable = provider.apiKeyEnv;
      if (variable === null) return `name the variable of its key: [providers.${provider.name}] api_key_env`;
      return provider.apiKey === null ? `set ${variable}, or ${variable}_FILE` : `check the key in ${variable}`;
    }
    case 'connection':
    case 'timeout':
    case 'aborted':
      return `check base_url of ${provider.name}, and the way there (network, proxy, server)`;
    case 'quota':
      return "look at the provider's account: it is empty, or at its limit";
    case 'rate_limit':
    case 'overloaded':
      return 'the provider is busy: try again later';
    case 'model_not_found':
      return 'check the name of the model';
    case 'protocol':
      return `it does not speak ${provider.kind}: check its kind and base_url`;
    case 'invalid_request':
    case 'context_overflow':
    case 'content_filter':
      return null;
    default:
      return kind satisfies never;
  }
}
