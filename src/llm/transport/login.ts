/** The login of a provider: the credential that each request carries. */
import { type Fault, isFault } from '../wire/fault.ts';
import { type Mask, maskFor, maskTexts, type Secretive, writtenForms } from './mask.ts';

/** The credential of a request. A provider without a login has none. */
export interface Credential {
  /** A key or an access token; null: none. */
  readonly key: string | null;
  /** Keys that sign requests to AWS. */
  readonly aws?: AwsKeyPair;
}

/** Access keys of AWS. */
export interface AwsKeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only temporary keys have one. */
  readonly sessionToken: string | null;
}

/** Where credentials come from. */
export interface Login {
  /** The credential for the next request; a fault if there is none. */
  current(signal: AbortSignal): Credential | Promise<Credential | Fault>;
  /** The provider refused the credential. True if `current` will give another one. */
  refused(credential: Credential): boolean;
  /** All secrets in use, for masking: the same array until they change. */
  secrets(): readonly string[];
}

/** A request before it is signed. */
export interface Signable {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The headers of a signed request, or a fault if the credential cannot sign. */
export type Sign = (request: Signable, credential: Credential) => Promise<Readonly<Record<string, string>> | Fault>;

/** The login of a key that never changes; null: without a key. */
export function keyLogin(key: string | null, aws?: AwsKeyPair): Login {
  const credential = { key, ...(aws && { aws }) };
  const secrets = secretsOf(credential);
  return { current: () => credential, refused: () => false, secrets: () => secrets };
}

/** What of a credential has to be masked. */
export function secretsOf({ key, aws }: Credential): readonly string[] {
  return [key, aws?.secretAccessKey, aws?.sessionToken].filter((each) => typeof each === 'string');
}

/**
 * Makes an attempt with the current credential. If the provider refuses it and there is a newer one, makes it once more: a
 * token may expire between two calls, or be withdrawn.
 */
export async function loggedIn<Success extends { readonly type: string }>(
  login: Login,
  signal: AbortSignal,
  attempt: (credential: Credential) => Promise<Success | Fault>,
): Promise<Success | Fault> {
  const first = await login.current(signal);
  if (isFault(first)) return { ...first, way: 'unsent' };
  const outcome = await attempt(first);
  if (!isRefusal(outcome) || !login.refused(first)) return outcome;
  const next = await login.current(signal);
  return isFault(next) ? { ...next, way: 'unsent' } : attempt(next);
}

/** Masks the secrets of the settings, and those that the login uses now, also percent-encoded and as JSON writes them. */
export function maskOf(endpoint: Secretive & { readonly login: Login }): Mask {
  const settings = maskFor(endpoint);
  const { login } = endpoint;
  let secrets: readonly string[] = [];
  let current = maskTexts([]);
  return (text) => {
    if (login.secrets() !== secrets) {
      secrets = login.secrets();
      current = maskTexts(writtenForms(secrets));
    }
    return settings(current(text));
  };
}

function isRefusal(outcome: { readonly type: string }): boolean {
  return isFault(outcome) && outcome.kind === 'credentials';
}
