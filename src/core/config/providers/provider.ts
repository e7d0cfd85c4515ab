/** Providers of models: their kinds, how each is reached and logged in to, and where the vendors' own are. */
import type { Secret } from '../../secrets/secret.ts';
import type { EnvironmentReader } from '../source/environment.ts';

/** Kinds of providers that are called over HTTP. `WIRES` in src/llm says which wire format a model of each speaks. */
export const HTTP_PROVIDER_KINDS = ['anthropic', 'openai', 'azure', 'bedrock', 'vertex', 'ollama'] as const;
export type HttpProviderKind = (typeof HTTP_PROVIDER_KINDS)[number];

/** The wire formats of OpenAI's API that `wire` names: Chat Completions and Responses. */
export const WIRE_CHOICES = ['chat', 'responses'] as const;
export type WireChoice = (typeof WIRE_CHOICES)[number];

/** A provider of models. `scripted` plays a TOML script and calls no model. */
export type ProviderConfig = HttpProviderConfig | ScriptedProviderConfig;

/** A provider that plays a script. */
export interface ScriptedProviderConfig {
  readonly name: string;
  readonly kind: 'scripted';
  /** Absolute. */
  readonly script: string;
  /** True: its models are named like those of other providers, `anthropic/claude-…`, whose prices and windows they have. Default false. */
  readonly standsIn?: boolean;
}

/** A provider that is called over HTTP. */
export interface HttpProviderConfig extends ProviderAccess {
  readonly name: string;
  readonly kind: HttpProviderKind;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Null: no key is set, and calls are sent without one. */
  readonly apiKey: Secret | null;
  /** The environment variable that holds the key, for messages; null if none is named. */
  readonly apiKeyEnv: string | null;
  /** The wire format of its models that set none of their own; null: as the catalogue says, else the default of the kind. */
  readonly wire: WireChoice | null;
}

/** The settings of a provider in addition to its address and key. */
export interface ProviderAccess {
  /** The header that carries the key; null: the default of its kind. `authorization` gets `Bearer` before the key. */
  readonly keyHeader: string | null;
  /** A command that prints the key; null: none. */
  readonly credentials: CredentialCommand | null;
  /** AWS access keys from the environment; null if there are none, and for all kinds but `bedrock`. */
  readonly awsKeys: AwsKeys | null;
  /** Where a cloud hosts the models; each is null if the kind does not need it. */
  readonly cloud: {
    readonly region: string | null;
    readonly project: string | null;
    readonly location: string | null;
    readonly apiVersion: string | null;
  };
  /** Sent with every request, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The same, with values from the environment; null: the variable is not set, and the header is not sent. */
  readonly secretHeaders: Readonly<Record<string, Secret | null>>;
  /** Added to the body of every request. */
  readonly options: Readonly<Record<string, unknown>>;
  /** False: answers are not streamed. Default true. */
  readonly stream: boolean;
  /** In seconds; null: the default of the client. */
  readonly timeouts: {
    readonly connectSeconds: number | null;
    readonly firstByteSeconds: number | null;
    readonly totalSeconds: number | null;
  };
  /** The longest pause that the provider may ask for; null: 600 seconds. At most a day. */
  readonly maxRetryAfterSeconds: number | null;
  /** The URL of a proxy, perhaps with user and password; null: none. */
  readonly proxy: Secret | null;
  /** The variable that the proxy is read from; null: none. */
  readonly proxyEnv: string | null;
  /** A PEM file of certificate authorities that are trusted in addition to the usual ones. Absolute; null: none. */
  readonly caFile: string | null;
  /** The variables from which its secrets are read, in addition to `apiKeyEnv`. */
  readonly secretEnv: readonly string[];
}

/** A command that prints a key, an access token, or AWS keys. */
export interface CredentialCommand {
  /** A program, found in PATH or beside animus.toml, and its arguments. */
  readonly command: readonly string[];
  /** Where it runs: the directory of animus.toml. Absolute. */
  readonly directory: string;
  /** Variables of the daemon's environment that it gets in addition to PATH, HOME and LANG: names, or prefixes followed by `*`. */
  readonly environment: readonly string[];
  /** How long an output is used that names no expiry; default 900. */
  readonly refreshSeconds: number;
  /** Then it is killed, and the call fails; default 30. */
  readonly timeoutSeconds: number;
}

/** Keys that sign requests to AWS. */
export interface AwsKeys {
  readonly accessKeyId: Secret;
  readonly secretAccessKey: Secret;
  /** Only temporary keys have one. */
  readonly sessionToken: Secret | null;
}

/** The base URLs of the vendors' own APIs. */
const BUILT_IN_BASE_URLS = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
} as const;

/** Providers that need no entry in animus.toml. */
export const BUILT_IN = ['anthropic', 'openai'] as const;

/** What the environment sets for a built-in provider: the address without a trailing slash, and the key. */
export function builtInFromEnvironment(
  name: (typeof BUILT_IN)[number],
  env: EnvironmentReader,
): Pick<HttpProviderConfig, 'baseUrl' | 'apiKey' | 'apiKeyEnv'> {
  const apiKeyEnv = `${name.toUpperCase()}_API_KEY`;
  const url = env.url(`${name.toUpperCase()}_BASE_URL`) ?? BUILT_IN_BASE_URLS[name];
  return { baseUrl: bare(url), apiKey: env.secret(apiKeyEnv), apiKeyEnv };
}

/** A base URL without the slashes at its end. */
export function bare(url: string): string {
  return url.replace(/\/+$/, '');
}

/** The vendor's base URL, which requires a key; null for a kind without one address. */
export function vendorUrl(kind: HttpProviderKind): string | null {
  const urls: Readonly<Partial<Record<HttpProviderKind, string>>> = BUILT_IN_BASE_URLS;
  return urls[kind] ?? null;
}

/** The base URL of a provider whose table has none; null: it has to be set. */
export function defaultUrl(kind: HttpProviderKind, { cloud }: Pick<ProviderAccess, 'cloud'>): string | null {
  switch (kind) {
    case 'anthropic':
    case 'openai':
      return BUILT_IN_BASE_URLS[kind];
    case 'azure':
      return null;
    case 'bedrock':
      return `https://bedrock-runtime.${cloud.region}.amazonaws.com${cloud.region?.startsWith('cn-') ? '.cn' : ''}`;
    case 'vertex':
      return vertexUrl(cloud.location ?? 'global');
    case 'ollama':
      return 'http://127.0.0.1:11434';
    default:
      return kind satisfies never;
  }
}

/** `global` and the multi-regions have hosts of their own. */
function vertexUrl(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com';
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

/** Whether a provider of this kind has a choice of wire formats. Azure serves OpenAI's models through OpenAI's API. */
export function hasWires(kind: ProviderConfig['kind']): boolean {
  return kind === 'openai' || kind === 'azure';
}

/** Why `wire` does not fit a provider of this kind. */
export const ONE_WIRE = (kind: string) =>
  `a provider of kind "${kind}" has no choice of wire formats; only "openai" and "azure" have`;
