import { createHash } from 'node:crypto';
import type { HttpProviderKind, WireChoice } from '../core/config/config.ts';
import { AnimusError } from '../core/errors/errors.ts';
import { isDecodable } from '../core/text/addresses.ts';
import type { Timeouts } from './client.ts';
import type { Script } from './scripted/script.ts';
import type { Endpoint } from './transport/retries.ts';
import { DEFAULT_RETRY, type RetryPolicy } from './transport/retry-policy.ts';

/** A provider that is called over HTTP. The key comes from the environment or a file, never from TOML. */
export interface HttpProviderSettings {
  readonly kind: HttpProviderKind;
  /** The wire format of its models that name none in the configuration. Default: by catalogue, else the kind's own. */
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
}

/** A provider that plays a script in place of a model. */
interface ScriptedProviderSettings {
  readonly kind: 'scripted';
  readonly script: Script;
}

/** Any provider of the configuration. */
export type ProviderSettings = HttpProviderSettings | ScriptedProviderSettings;

const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  firstByteMs: 120_000,
  streamIdleMs: 90_000,
  totalMs: 1_200_000,
};

/** A provider that does not stream sends nothing until its answer is complete. */
const UNSTREAMED_FIRST_BYTE_MS = 600_000;

/** The endpoint of a provider, with defaults. Throws `llm.base_url` without the URL, which may contain a password. */
export function endpointOf(provider: string, settings: HttpProviderSettings): Endpoint {
  const stream = settings.stream ?? true;
  const url = URL.parse(settings.baseUrl);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!isHttp || !isDecodable(url.username + url.password)) throw new AnimusError('llm.base_url', { provider });
  return {
    provider,
    baseUrl: url,
    apiKey: settings.apiKey,
    pauseKey: pauseKey(url, settings.apiKey),
    stream,
    headers: settings.headers ?? {},
    timeouts: { ...DEFAULT_TIMEOUTS, ...(!stream && { firstByteMs: UNSTREAMED_FIRST_BYTE_MS }), ...settings.timeouts },
    retry: { ...DEFAULT_RETRY, ...settings.retry },
  };
}

/** Identifies a key at an address, whatever the name of the provider. A hash, so that no copy of the key is kept. */
function pauseKey(baseUrl: URL, apiKey: string | null): string {
  const secret = `${apiKey ?? ''}\0${baseUrl.username}`;
  return `${baseUrl.host}:${createHash('sha256').update(secret).digest('hex')}`;
}
