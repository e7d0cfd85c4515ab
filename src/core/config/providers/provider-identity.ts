/** What is behind the name of a provider: where texts are sent, and with whose credential. */
import { createHash } from 'node:crypto';
import type { HttpProviderConfig, ProviderConfig } from './provider.ts';

/** Where words go, and what they are sent with. Nothing in it is secret. */
export interface ProviderIdentity {
  /** A kind of provider; a later version may know others. */
  readonly kind: string;
  /** The URL without user, password, query and fragment. What is said to a script stays here, so that all scripts have one address. */
  readonly address: string;
  /** Where the credential comes from, such as `OPENAI_API_KEY` or `command: login, arguments 1f3a9c02`; never the credential. Empty: it has none. */
  readonly credential: string;
}

/** A provider under its name. */
export interface ProviderOfModel extends ProviderIdentity {
  readonly name: string;
  /**
   * Tells apart two providers with one identity, such as two vendors behind one gateway: 32 bits of a digest of their headers and options; the path of
   * a script.
   */
  readonly routing: string;
}

/** Kind, address and credential are the same: what has begun may go on. */
export function isSameProvider(one: ProviderIdentity, other: ProviderIdentity): boolean {
  return one.kind === other.kind && one.address === other.address && one.credential === other.credential;
}

export function describeProvider(provider: ProviderConfig): ProviderOfModel {
  const { name, kind } = provider;
  if (provider.kind === 'scripted') return { name, kind, address: 'a file', credential: '', routing: provider.script };
  return { name, kind, address: addressOf(provider), credential: credentialOf(provider), routing: routingOf(provider) };
}

/** For people, and as the name of a place that is the same wherever it is written: `openai at https://api.openai.com/v1 with OPENAI_API_KEY`. */
export function identityText({ kind, address, credential }: ProviderIdentity): string {
  return `${kind} at ${address}${credential === '' ? '' : ` with ${credential}`}`;
}

/** A URL without what may be secret. One that is not a URL is empty: it is refused where it is used. */
export function addressText(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  return url === null ? '' : `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

function addressOf({ baseUrl, cloud }: HttpProviderConfig): string {
  const place = addressText(baseUrl);
  // Of a cloud, the project pays; without it, the address is the same for everybody.
  return cloud.project === null ? place : `${place} (project ${cloud.project})`;
}

/** A proxy is not the provider's, and its password goes no further. */
function credentialOf({ credentials, apiKeyEnv, secretEnv, proxyEnv }: HttpProviderConfig): string {
  const own = credentials === null ? apiKeyEnv : commandText(credentials.command);
  const names = [own, ...secretEnv.filter((name) => name !== proxyEnv)];
  return names.filter((name) => name !== null).join(', ');
}

/** Arguments may contain a secret, so that only a digest of them is recorded and shown. */
function commandText([program = '', ...args]: readonly string[]): string {
  return args.length === 0 ? `command: ${program}` : `command: ${program}, arguments ${digestOf(args)}`;
}

function routingOf({ headers, secretHeaders, options }: HttpProviderConfig): string {
  const sent = [Object.entries(headers).sort(), Object.keys(secretHeaders).sort(), options];
  return digestOf(sent);
}

/** 32 bits: to tell values apart, not to find them. */
function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8);
}
