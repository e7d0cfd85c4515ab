import type { HttpProviderConfig } from '../../core/config/providers/provider.ts';
import { DEFAULT_RETRY } from '../../llm/transport/retry-policy.ts';

/** A setting, as it is printed. */
export interface AccessSetting {
  /** As in animus.toml, without the table. */
  readonly key: string;
  readonly value: string | number | null;
}

/** How a provider is reached and logged in to; secrets are masked, and what is not set is left out. */
export function accessSettings(provider: HttpProviderConfig): readonly AccessSetting[] {
  const { credentials, cloud, timeouts, awsKeys, headers, secretHeaders, options } = provider;
  const settings: (AccessSetting | null)[] = [
    // Some gateways take a key as a query parameter.
    { key: 'base_url', value: provider.baseUrl.replace(/\?.*/, '?***') },
    credentials ? null : { key: 'api_key', value: provider.apiKey === null ? null : String(provider.apiKey) },
    awsKeys && { key: 'aws_keys', value: String(awsKeys.secretAccessKey) },
    ifSet('key_header', provider.keyHeader),
    credentials && { key: 'credentials.command', value: credentials.command.join(' ') },
    ifSet('region', cloud.region),
    ifSet('project', cloud.project),
    ifSet('location', cloud.location),
    ifSet('api_version', cloud.apiVersion),
    ifSet('wire', provider.wire),
    ...Object.entries(headers).map(([name, value]) => ({ key: `headers.${name}`, value })),
    ...Object.entries(secretHeaders).map(([name, value]) => ({
      key: `header_env.${name}`,
      value: value && String(value),
    })),
    ...Object.entries(options).map(([name, value]) => ({ key: `options.${name}`, value: JSON.stringify(value) })),
    provider.stream ? null : { key: 'stream', value: 'false' },
    ifSet('timeouts.connect_seconds', timeouts.connectSeconds),
    ifSet('timeouts.first_byte_seconds', timeouts.firstByteSeconds),
    ifSet('timeouts.total_seconds', timeouts.totalSeconds),
    { key: 'max_retry_after_seconds', value: provider.maxRetryAfterSeconds ?? DEFAULT_RETRY.maxRetryAfterMs / 1000 },
    provider.proxy && { key: 'proxy', value: String(provider.proxy) },
    ifSet('ca_file', provider.caFile),
  ];
  return settings.filter((setting) => setting !== null);
}

function ifSet(key: string, value: string | number | null): AccessSetting | null {
  return value === null ? null : { key, value };
}
