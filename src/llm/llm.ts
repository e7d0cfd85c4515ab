import type { Dispatcher } from 'undici';
import { AnimusError } from '../core/errors/errors.ts';
import { type Clock, systemClock } from '../core/lifecycle/clock.ts';
import { remembered } from '../core/text/remembered.ts';
import type { ProcessHost } from '../process/process-host.ts';
import type { BatchApi } from './batch/batch-api.ts';
import { type BatchFormat, batchFormat } from './batch/batch-format.ts';
import { type BatchHttp, batchHttp } from './batch/batch-http.ts';
import { type PaidAnswer, paidAnswer } from './batch/paid-answer.ts';
import { batchApiOf } from './batches.ts';
import type { LlmClient } from './client.ts';
import type { Embedder } from './embeddings/embedder.ts';
import { type EmbedderSettings, openEmbedder } from './embeddings/open-embedder.ts';
import { type LocatedModel, locateModel, type ModelNames } from './locate-model.ts';
import { embeddingInfo } from './models/embedding-models.ts';
import { modelInfo } from './models/models.ts';
import { type ProbeResult, probe } from './probe.ts';
import { endpointOf, type HttpProviderSettings, type ProviderSettings } from './provider-settings.ts';
import { adaptWire } from './providers/adapt-wire.ts';
import { hostOfAzure } from './providers/azure.ts';
import { createLogins, type Logins } from './providers/logins.ts';
import { scriptedClient } from './scripted/scripted-client.ts';
import { openDispatcher } from './transport/dispatcher.ts';
import { httpLlmClient } from './transport/http-client.ts';
import { createKeyPauses, type KeyPauses } from './transport/key-pauses.ts';
import { maskOf } from './transport/login.ts';
import type { Endpoint, HttpShared } from './transport/retries.ts';
import type { Wire } from './wire/wire.ts';
import { WIRES, type WireName, wireOf } from './wires.ts';

/** Everything `createLlm` needs. */
export interface LlmSettings extends ModelNames {
  readonly providers: Readonly<Record<string, ProviderSettings>>;
}

/** A model, its endpoint, and its client. */
export interface ResolvedModel extends LocatedModel {
  readonly client: LlmClient;
  /** How its requests are put into batches; null if its provider has no batch API. */
  readonly batch: BatchFormat | null;
}

/** The batch API of a provider, and its calls. */
export interface ProviderBatches {
  readonly api: BatchApi;
  /** Calls that end with the signal, or after so many milliseconds each, retries included. `model`: with its configured headers. */
  http(signal: AbortSignal, totalMs: number, model?: string): BatchHttp;
  /** Hides the provider's secrets in a text. */
  mask(text: string): string;
  /** What the stored answer of a model has cost; null: nothing. */
  paid(model: string, stored: string): PaidAnswer | null;
}

/** The batches at a place, and the name that its provider has now. */
export interface PlacedBatches extends ProviderBatches {
  readonly provider: string;
}

/** The models of a process. One pool of connections, one table of pauses. */
export interface Llm {
  /** `provider/model`, or a model of the default provider. Throws `llm.unknown_provider`. */
  resolve(name: string): ResolvedModel;
  /** One cheap call that verifies address, key and model name. Always succeeds for a script. */
  probe(name: string, signal: AbortSignal): Promise<ProbeResult>;
  /** Texts to vectors. Throws `llm.unknown_provider`, and `llm.no_embeddings` for kinds of providers without them. */
  embedder(settings: EmbedderSettings & { readonly provider: string }): Embedder;
  /** The batches of a provider; null if it has no batch API, or is not configured. */
  batches(provider: string): ProviderBatches | null;
  /** Closes all connections; calls in progress fail. */
  stop(): Promise<void>;
}

/** Clock and random numbers, replaceable in tests, and what runs credential commands. */
export interface LlmEnvironment {
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Runs the commands that print credentials. Needed only for providers that have one. */
  readonly processes?: Pick<ProcessHost, 'run'>;
}

/** Sets up every provider; connects on the first call. Throws `llm.base_url`. */
export function createLlm(settings: LlmSettings, environment: LlmEnvironment = {}): Llm {
  const { clock = systemClock, random = Math.random } = environment;
  const pauses = createKeyPauses(clock);
  const logins = createLogins(clock, environment.processes);
  const providers = new Map(
    Object.entries(settings.providers).map(([name, config]) => [
      name,
      config.kind === 'scripted'
        ? { kind: config.kind, script: config.script }
        : connect(name, config, settings, { pauses, clock, random, logins }),
    ]),
  );
  const find = (name: string, model: string) => {
    const provider = providers.get(name);
    if (provider) return provider;
    const known = [...providers.keys()].join(', ') || 'none';
    throw new AnimusError('llm.unknown_provider', { provider: name, model, known });
  };
  return {
    resolve(name) {
      const located = locateModel(name, settings);
      const found = find(located.provider, name);
      if (found.kind === 'scripted') {
        return { ...located, client: scriptedClient(located.provider, found.script(), clock), batch: null };
      }
      const { client, batch } = found.speaking(located);
      return { ...located, client, batch };
    },
    async probe(name, signal) {
      const located = locateModel(name, settings);
      const { provider, model } = located;
      const connected = find(provider, name);
      if (connected.kind === 'scripted') return { ok: true, durationMs: 0, listed: null };
      const { endpoint, shared } = connected;
      return probe({ endpoint, shared, ...connected.speaking(located), model, signal });
    },
    embedder({ provider, ...embedding }) {
      const connected = find(provider, embedding.model);
      if (connected.kind === 'scripted') throw new AnimusError('llm.no_embeddings', { provider });
      const info = embeddingInfo(provider, embedding.model, settings.models);
      return openEmbedder(embedding, info, connected.config, connected);
    },
    batches: (provider) => {
      const connected = providers.get(provider);
      return connected === undefined || connected.kind === 'scripted' ? null : connected.batches;
    },
    async stop() {
      const agents = [...providers.values()].flatMap((provider) =>
        provider.kind === 'scripted' ? [] : provider.agent,
      );
      await Promise.all(agents.map((agent) => agent.destroy()));
    },
  };
}

interface Connected {
  readonly kind: HttpProviderSettings['kind'];
  readonly config: HttpProviderSettings;
  readonly endpoint: Endpoint;
  readonly shared: HttpShared;
  readonly agent: Dispatcher;
  /** One client per wire format; its models share connections and pauses. */
  speaking(model: Pick<LocatedModel, 'model' | 'info'>): Spoken;
  readonly batches: ProviderBatches | null;
}

interface Spoken {
  readonly wire: Wire;
  readonly client: LlmClient;
  readonly batch: BatchFormat | null;
}

/** One pool per provider, because the connect time-out belongs to the pool. */
function connect(
  provider: string,
  config: HttpProviderSettings,
  settings: LlmSettings,
  {
    logins,
    ...common
  }: { readonly pauses: KeyPauses; readonly clock: Clock; readonly random: () => number; readonly logins: Logins },
): Connected {
  const endpoint = endpointOf(provider, config, logins.of(config), common.clock);
  const agent = openDispatcher(endpoint.timeouts.connectMs, config);
  const shared: HttpShared = { dispatcher: agent, ...common };
  // Several parts of each request ask for its model.
  const infoOf = remembered((model) => modelInfo(provider, model, settings.models));
  const api = batchApiOf(config.kind);
  const open = (name: WireName): Spoken => {
    const host = config.kind === 'azure' ? hostOfAzure(config) : endpoint.baseUrl.hostname;
    const wire = adaptWire(WIRES[name].open({ provider, infoOf, host }), name, config, infoOf);
    const batch = api && batchFormat(provider, wire, (text) => maskOf(endpoint)(text));
    return { wire, client: httpLlmClient(wire, endpoint, shared), batch };
  };
  const opening: (name: WireName) => Spoken = remembered((name) => open(name as WireName));
  return {
    kind: config.kind,
    config,
    endpoint,
    shared,
    agent,
    speaking: ({ model, info }) => opening(wireOf(config.kind, info.wire, model)),
    batches: api && {
      api,
      http(signal, totalMs, model) {
        const { classify, headers } = opening(wireOf(config.kind, null, '')).wire;
        const ofModel = model === undefined ? {} : infoOf(model).headers;
        const withKey = (key: string | null) => ({ ...headers(key, null), ...ofModel });
        return batchHttp({ endpoint, shared, classify, headers: withKey, signal, totalMs });
      },
      mask: (text) => maskOf(endpoint)(text),
      paid(model, stored) {
        const info = infoOf(model);
        const { batch } = opening(wireOf(config.kind, info.wire, model));
        return batch && paidAnswer(stored, model, batch, info);
      },
    },
  };
}
