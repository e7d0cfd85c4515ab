import { Agent } from 'undici';
import { type Clock, systemClock } from '../core/clock.ts';
import { AnimusError } from '../core/errors.ts';
import { anthropicWire } from './anthropic/wire.ts';
import type { LlmClient, Timeouts } from './client.ts';
import { type Endpoint, type HttpShared, httpLlmClient } from './http/client.ts';
import { createKeyPauses } from './http/key-pauses.ts';
import { DEFAULT_RETRY, type RetryPolicy } from './http/retry-policy.ts';
import { type ModelInfo, type ModelOverride, modelInfo } from './models.ts';
import { scriptedClient } from './scripted/client.ts';
import type { Script } from './scripted/script.ts';
import type { Wire } from './wire.ts';

/** A provider that is reached by HTTP. The key comes from the environment or a file, never from TOML. */
export interface HttpProviderSettings {
  readonly kind: 'anthropic';
  /** May hold user, password and query: all are masked wherever the URL is shown. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** False asks for answers in one piece. Default true. */
  readonly stream?: boolean;
  /** Sent with every request, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts?: Partial<Timeouts>;
  readonly retry?: Partial<RetryPolicy>;
}

/** A provider that plays a script and is no model. */
export interface ScriptedProviderSettings {
  readonly kind: 'scripted';
  readonly script: Script;
}

export type ProviderSettings = HttpProviderSettings | ScriptedProviderSettings;

/** Everything `createLlm` needs. */
export interface LlmSettings {
  /** By the name that `provider/model` uses. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** The provider of a model that names none. */
  readonly defaultProvider: string;
  /** `[models."provider/model"]` of the configuration. */
  readonly models?: Readonly<Record<string, ModelOverride>>;
}

/** A model, where it is, and how to call it. */
export interface ResolvedModel {
  readonly provider: string;
  /** The name as the provider knows it: for `LlmRequest.model`. */
  readonly model: string;
  readonly kind: ProviderSettings['kind'];
  readonly info: ModelInfo;
  readonly client: LlmClient;
}

/** The models of a process. One pool of connections, one table of pauses. */
export interface Llm {
  /** `provider/model`, or a model of the default provider. Throws `llm.unknown_provider`. */
  resolve(name: string): ResolvedModel;
  /** Ends kept-alive connections; calls in flight are cut. */
  stop(): Promise<void>;
}

/** Clock and chance, for tests. */
export interface LlmEnvironment {
  readonly clock?: Clock;
  readonly random?: () => number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  firstByteMs: 120_000,
  streamIdleMs: 90_000,
  totalMs: 1_200_000,
};

/** Sets up every provider; nothing is connected before the first call. */
export function createLlm(settings: LlmSettings, environment: LlmEnvironment = {}): Llm {
  const clock = environment.clock ?? systemClock;
  const pauses = createKeyPauses(clock);
  const random = environment.random ?? Math.random;
  const agents: Agent[] = [];
  const clients = new Map<string, LlmClient>();
  const clientOf = (provider: string, config: ProviderSettings): LlmClient => {
    if (config.kind === 'scripted') return scriptedClient(provider, config.script, clock);
    const endpoint = endpointOf(provider, config);
    const dispatcher = new Agent({ connect: { timeout: endpoint.timeouts.connectMs }, keepAliveTimeout: 60_000 });
    agents.push(dispatcher);
    const shared: HttpShared = { dispatcher, pauses, clock, random };
    return httpLlmClient(wireOf(provider, config, settings), endpoint, shared);
  };
  return {
    resolve(name) {
      const { provider, model, config } = parseModelName(name, settings);
      const client = clients.get(provider) ?? clientOf(provider, config);
      clients.set(provider, client);
      return { provider, model, kind: config.kind, client, info: modelInfo(provider, model, settings.models) };
    },
    async stop() {
      await Promise.all(agents.map((agent) => agent.destroy()));
    },
  };
}

/** A first part that names a provider is one; else the whole is a model of the default provider, slashes and all. */
function parseModelName(name: string, settings: LlmSettings) {
  const slash = name.indexOf('/');
  const prefix = slash > 0 ? name.slice(0, slash) : '';
  const provider = Object.hasOwn(settings.providers, prefix) ? prefix : settings.defaultProvider;
  const config = settings.providers[provider];
  if (!config) {
    const known = Object.keys(settings.providers).join(', ') || 'none';
    throw new AnimusError('llm.unknown_provider', { provider, model: name, known });
  }
  return { provider, config, model: provider === prefix ? name.slice(slash + 1) : name };
}

function endpointOf(provider: string, config: HttpProviderSettings): Endpoint {
  const stream = config.stream ?? true;
  const firstByteMs = stream ? DEFAULT_TIMEOUTS.firstByteMs : 600_000;
  return {
    provider,
    baseUrl: parseBaseUrl(provider, config.baseUrl),
    apiKey: config.apiKey,
    stream,
    headers: config.headers ?? {},
    timeouts: { ...DEFAULT_TIMEOUTS, firstByteMs, ...config.timeouts },
    retry: { ...DEFAULT_RETRY, ...config.retry },
  };
}

/** The text is not repeated in the error: it may hold a password. */
function parseBaseUrl(provider: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new AnimusError('llm.base_url', { provider });
}

function wireOf(provider: string, config: HttpProviderSettings, settings: LlmSettings): Wire {
  switch (config.kind) {
    case 'anthropic':
      return anthropicWire({
        provider,
        thinksAdaptively: (model) => modelInfo(provider, model, settings.models).thinking === 'adaptive',
      });
    default:
      return config.kind satisfies never;
  }
}
