import { createHash } from 'node:crypto';
import type { HttpProviderKind, WireChoice } from '../core/config/providers/provider.ts';
import { AnimusError } from '../core/errors/errors.ts';
import { type Clock, systemClock } from '../core/lifecycle/clock.ts';
import { isDecodable } from '../core/text/addresses.ts';
import type { Timeouts } from './client.ts';
import { azureUrl } from './providers/azure.ts';
import { bedrockSign } from './providers/bedrock.ts';
import type { CommandSettings } from './providers/command-login.ts';
import type { Script } from './scripted/script.ts';
import { type AwsKeyPair, keyLogin, type Login } from './transport/login.ts';
import type { Endpoint } from './transport/retries.ts';
import { DEFAULT_RETRY, type RetryPolicy } from './transport/retry-policy.ts';

/** A provider that is called over HTTP. The key comes from the environment or a file, never from TOML. */
export interface HttpProviderSettings {
  readonly kind: HttpProviderKind;
  /** The wire format of its models that name none in the configuration. Default: as the catalogue says, else the default of the kind. */
  readonly wire?: WireChoice;
  /** Anthropic's without `/v1`, OpenAI's with it. User, password and query are masked wherever the URL is shown. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** False: request answers that are not streamed. Default true. */
  readonly stream?: boolean;
  /** Sent with every request, by lower-case name; they override the provider's own. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts?: Partial<Timeouts>;
  readonly retry?: Partial<RetryPolicy>;
  /** The header that carries the key, in lower case. Default: the kind's. `authorization` gets `Bearer` before the key. */
  readonly keyHeader?: string;
  /** A command that prints the key; it takes the place of `apiKey`. */
  readonly credentials?: CommandSettings;
  /** Keys that sign requests to `bedrock`. */
  readonly awsKeys?: AwsKeyPair;
  /** What a cloud needs to know: the region of `bedrock`, project and location of `vertex`, API version of `azure`. */
  readonly cloud?: Cloud;
  /** Added to the body of every request. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The URL of a proxy, perhaps with user and password. */
  readonly proxy?: string;
  /** Certificate authorities in PEM format that are trusted in addition to the usual ones. */
  readonly ca?: string;
}

/** Where a cloud hosts the models. */
export interface Cloud {
  readonly region?: string | null;
  readonly project?: string | null;
  readonly location?: string | null;
  readonly apiVersion?: string | null;
}

/** A provider that plays a script in place of a model. */
interface ScriptedProviderSettings {
  readonly kind: 'scripted';
  /** The newest version, which each resolved model keeps. */
  readonly script: () => Script;
  /** True: its models have the prices and windows of the models that they are named after. Default false. */
  readonly standsIn?: boolean;
}

/** Any provider of the configuration. */
export type ProviderSettings = HttpProviderSettings | ScriptedProviderSettings;

const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  firstByteMs: 120_000,
  streamIdleMs: 90_000,
  totalMs: 1_200_000,
};

/** A provider that does not stream sends nothing until its answer is complete, and Ollama nothing while it loads a model. */
const SLOW_FIRST_BYTE_MS = 600_000;

/** The endpoint of a provider, with defaults. Throws `llm.base_url` without the URL, which may contain a password. */
export function endpointOf(
  provider: string,
  settings: HttpProviderSettings,
  login: Login = keyLogin(settings.apiKey, settings.awsKeys),
  clock: Clock = systemClock,
): Endpoint {
  const stream = settings.stream ?? true;
  const isSlow = !stream || settings.kind === 'ollama';
  const url = URL.parse(settings.baseUrl);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!isHttp || !isDecodable(url.username + url.password)) throw new AnimusError('llm.base_url', { provider });
  return {
    provider,
    baseUrl: addressOf(url, settings),
    apiKey: settings.apiKey,
    login,
    ...(settings.kind === 'bedrock' && { sign: bedrockSign(settings.cloud?.region ?? '', clock) }),
    pauseKey: pauseKey(url, settings),
    stream,
    headers: settings.headers ?? {},
    timeouts: { ...DEFAULT_TIMEOUTS, ...(isSlow && { firstByteMs: SLOW_FIRST_BYTE_MS }), ...settings.timeouts },
    retry: { ...DEFAULT_RETRY, ...settings.retry },
  };
}

/** The base of all paths, without the endings that people add to it. */
function addressOf(url: URL, { kind, cloud }: HttpProviderSettings): URL {
  if (kind === 'azure') return azureUrl(url, cloud?.apiVersion ?? null);
  const address = new URL(url);
  if (kind === 'ollama') address.pathname = url.pathname.replace(/\/(v1|api)\/?$/, '');
  return address;
}

/** Identifies a key at an address, whatever the name of the provider. A hash, so that no copy of the key is kept. */
function pauseKey(baseUrl: URL, { apiKey, awsKeys, credentials }: HttpProviderSettings): string {
  const key = credentials ? JSON.stringify(credentials.command) : (apiKey ?? awsKeys?.accessKeyId ?? '');
  const secret = `${key}\0${baseUrl.username}`;
  return `${baseUrl.host}:${createHash('sha256').update(secret).digest('hex')}`;
}
