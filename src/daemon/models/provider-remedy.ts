/** What people are told of a failing provider: what has failed, and the remedy. */
import type { Config } from '../../core/config/config.ts';
import type { HttpProviderConfig, ProviderConfig } from '../../core/config/providers/provider.ts';
import type { LlmFailure } from '../../llm/client.ts';

/** One line for people: which provider failed, how, and the remedy. */
export function explainFailure(failure: LlmFailure, { providers }: Pick<Config, 'providers'>): string {
  const { kind, provider: name, message } = failure;
  const provider = providers.get(name);
  const remedy = provider === undefined ? null : remedyOf(failure, provider);
  // The output of a command is read again at the next call.
  const isFixed = kind === 'credentials' && provider?.kind !== 'scripted' && !provider?.credentials;
  const restart = isFixed && remedy !== null ? ', and restart animus' : '';
  return `provider ${name}: ${message}${remedy === null ? '' : `; ${remedy}${restart}`}`;
}

/** One clause, or null when one can only wait or check the request. */
export function remedyOf(
  { kind, network, httpStatus }: Pick<LlmFailure, 'kind'> & Partial<Pick<LlmFailure, 'network' | 'httpStatus'>>,
  provider: ProviderConfig,
): string | null {
  if (provider.kind === 'scripted') return null;
  switch (kind) {
    case 'credentials':
      return remedyOfLogin(provider);
    case 'connection':
      return remedyOfNetwork(provider, network, httpStatus ?? null);
    case 'timeout':
    case 'aborted':
      return `check base_url of ${provider.name}, and the connection to it (network, proxy, server)`;
    case 'quota':
      return "look at the provider's account: it is empty, or at its limit";
    case 'rate_limit':
    case 'overloaded':
      return 'the provider is busy: try again later';
    case 'model_not_found':
      return remedyOfModel(provider);
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

function remedyOfLogin({ name, kind, apiKey, apiKeyEnv, awsKeys, credentials }: HttpProviderConfig): string {
  if (credentials !== null) return `run its command yourself: ${credentials.command.join(' ')}`;
  if (apiKeyEnv !== null)
    return apiKey === null ? `set ${apiKeyEnv}, or ${apiKeyEnv}_FILE` : `check the key in ${apiKeyEnv}`;
  const byCommand = `[providers.${name}] credentials`;
  if (kind === 'bedrock' && awsKeys !== null)
    return 'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, the region, and the right bedrock:InvokeModel';
  if (kind === 'bedrock') return `set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a command: ${byCommand}`;
  if (kind === 'vertex') return `set a command that prints an access token: ${byCommand}`;
  return `name the variable of its key: [providers.${name}] api_key_env`;
}

function remedyOfNetwork(
  { name, caFile, proxy }: HttpProviderConfig,
  network: LlmFailure['network'],
  httpStatus: number | null,
): string {
  const table = `[providers.${name}]`;
  switch (network) {
    case 'name':
      return `check base_url of ${name}: this host cannot find that name (DNS)`;
    case 'certificate':
      return caFile === null ? `name the authority of its certificate: ${table} ca_file` : `check ${caFile}`;
    case 'proxy':
      return `check the proxy of ${name}, with its user and password: ${table} proxy or proxy_env`;
    case 'refused':
    case undefined: {
      if (httpStatus !== null) return `check base_url of ${name}: ${answered(httpStatus)}`;
      const way = proxy === null ? 'network, proxy, server' : 'its proxy, server';
      return `check base_url of ${name}, and the connection to it (${way})`;
    }
    default:
      return network satisfies never;
  }
}

/** What a server at that address says by a status that is not about the request. */
function answered(httpStatus: number): string {
  if (httpStatus >= 300 && httpStatus < 400) return 'it redirects requests to another address';
  if (httpStatus === 501 || httpStatus === 505) return 'a server answers there that does not support this request';
  if (httpStatus === 511) return 'a network on the way there requires a login first';
  return 'a server answers there, but not at this path';
}

function remedyOfModel({ kind }: HttpProviderConfig): string {
  switch (kind) {
    case 'azure':
      return 'check the name of the model: it is the name of its deployment';
    case 'bedrock':
      return 'check the name of the model, its region, and that this account may use it (an inference profile may be needed)';
    case 'vertex':
      return 'check the name of the model, and that it is available in this location';
    case 'ollama':
      return 'check the name of the model, or get it: ollama pull';
    case 'anthropic':
    case 'openai':
      return 'check the name of the model';
    default:
      return kind satisfies never;
  }
}
