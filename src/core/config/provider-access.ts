/** How a provider is reached and logged in to. */
import type { Secret } from '../secrets/secret.ts';

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
