/** Sets up the providers of the configuration. */

import type { Config } from '../../core/config/config.ts';
import type { CredentialCommand, HttpProviderConfig } from '../../core/config/providers/provider.ts';
import type { EmbeddingsConfig } from '../../core/config/sections/embeddings.ts';
import type { Embedder } from '../../llm/embeddings/embedder.ts';
import { createLlm, type Llm } from '../../llm/llm.ts';
import type { HttpProviderSettings, ProviderSettings } from '../../llm/provider-settings.ts';
import { openScript } from '../../llm/scripted/open-script.ts';
import type { ProcessHost } from '../../process/process-host.ts';
import { listedVariables } from '../guard/listed-variables.ts';
import { modelNames } from './model-names.ts';
import { readCertificates } from './provider-files.ts';

/**
 * All providers and model overrides of the configuration as one Llm. Scripts and certificates are read now, scripts again when they have
 * changed; `onBrokenScript` hears of those that are broken then. `processes` runs the commands that print credentials, at the first call.
 * Errors: those of scripts, and `config.unreadable` for a ca_file.
 */
export function createConfiguredLlm(
  config: Config,
  processes: Pick<ProcessHost, 'run'>,
  onBrokenScript?: (message: string) => void,
): Llm {
  const providers: Record<string, ProviderSettings> = {};
  for (const provider of config.providers.values()) {
    providers[provider.name] =
      provider.kind === 'scripted'
        ? {
            kind: 'scripted',
            script: openScript(provider.script, onBrokenScript),
            ...(provider.standsIn === true && { standsIn: true }),
          }
        : httpSettings(provider, config);
  }
  return createLlm({ ...modelNames(config), providers }, { processes });
}

/** The model of `[embeddings]`. `retry`: other than its provider's. */
export function openConfiguredEmbedder(
  llm: Pick<Llm, 'embedder'>,
  { provider, model, dimensions, batchSize, requestDimensions }: EmbeddingsConfig,
  retry: { readonly maxAttempts?: number } = {},
): Embedder {
  const asked = requestDimensions === null ? {} : { requestDimensions };
  return llm.embedder({ provider, model, dimensions, batchSize, ...asked, ...retry });
}

function httpSettings(provider: HttpProviderConfig, config: Config): HttpProviderSettings {
  const { timeouts, awsKeys, proxy, caFile, wire, credentials } = provider;
  const secretHeaders = Object.entries(provider.secretHeaders).flatMap(([name, value]) =>
    value === null ? [] : [[name, value.reveal()] as const],
  );
  return {
    kind: provider.kind,
    baseUrl: provider.baseUrl,
    apiKey: provider.apiKey?.reveal() ?? null,
    stream: provider.stream,
    headers: { ...provider.headers, ...Object.fromEntries(secretHeaders) },
    timeouts: {
      ...(timeouts.connectSeconds !== null && { connectMs: timeouts.connectSeconds * 1000 }),
      ...(timeouts.firstByteSeconds !== null && { firstByteMs: timeouts.firstByteSeconds * 1000 }),
      ...(timeouts.totalSeconds !== null && { totalMs: timeouts.totalSeconds * 1000 }),
    },
    ...(provider.maxRetryAfterSeconds !== null && {
      retry: { maxRetryAfterMs: provider.maxRetryAfterSeconds * 1000 },
    }),
    cloud: provider.cloud,
    options: provider.options,
    ...(wire !== null && { wire }),
    ...(provider.keyHeader !== null && { keyHeader: provider.keyHeader }),
    ...(credentials !== null && { credentials: commandOf(credentials, config) }),
    ...(awsKeys !== null && {
      awsKeys: {
        accessKeyId: awsKeys.accessKeyId.reveal(),
        secretAccessKey: awsKeys.secretAccessKey.reveal(),
        sessionToken: awsKeys.sessionToken?.reveal() ?? null,
      },
    }),
    ...(proxy !== null && { proxy: proxy.reveal() }),
    ...(caFile !== null && { ca: readCertificates(caFile) }),
  };
}

/** The command gets PATH, HOME and LANG, and what its list names: no secret of animus unless it is named in full. */
function commandOf(
  { command, directory, environment, refreshSeconds, timeoutSeconds }: CredentialCommand,
  config: Config,
): NonNullable<HttpProviderSettings['credentials']> {
  const base = Object.entries(process.env).filter(([name]) =>
    ['PATH', 'HOME', 'LANG', 'USER', 'LOGNAME'].includes(name),
  );
  return {
    command,
    directory,
    env: {
      ...(Object.fromEntries(base) as Record<string, string>),
      ...listedVariables(environment, config, process.env),
    },
    refreshMs: refreshSeconds * 1000,
    timeoutMs: timeoutSeconds * 1000,
  };
}
