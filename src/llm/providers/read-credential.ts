import type { Credential } from '../transport/login.ts';
import { asNumber, asObject, asString, type Loose, parseJson } from '../wire/loose-json.ts';

/** What a credential command printed. */
export interface PrintedCredential {
  readonly credential: Credential;
  /** In milliseconds since 1970; null: the output has no expiry. */
  readonly expiresAtMs: number | null;
}

/** A longer output is not a credential. */
const MAX_CHARS = 64 * 1024;
const TOKEN_FIELDS = ['access_token', 'accessToken', 'token', 'api_key', 'apiKey', 'key', 'id_token'];
/** Tables in which gcloud, `aws sts` and Kubernetes plugins put the credential. */
const INNER = ['credential', 'Credentials', 'status'];
const EXPIRY_FIELDS = [
  'Expiration',
  'expires_on',
  'expires_at',
  'expiresAt',
  'token_expiry',
  'expirationTimestamp',
  'expiration',
  'expiresOn',
];

/**
 * Reads the output of a credential command: a token as plain text, or JSON as the command lines of AWS, Azure, Google Cloud
 * and Kubernetes print it. A problem never quotes the output, which may contain a secret.
 */
export function readCredential(printed: string, nowMs: number): PrintedCredential | { readonly problem: string } {
  const text = printed.trim();
  if (text === '') return { problem: 'printed nothing' };
  if (text.length > MAX_CHARS) return { problem: `printed more than ${MAX_CHARS} characters` };
  if (!text.startsWith('{')) return usable({ key: text }, null, nowMs);
  const value = asObject(parseJson(text));
  if (!value) return { problem: 'printed broken JSON' };
  const tables: Loose[] = [value, ...INNER.map((name) => asObject(value[name])).filter((inner) => inner !== null)];
  for (const table of tables) {
    const expiresAtMs = expiryOf(table, nowMs) ?? expiryOf(value, nowMs);
    const accessKeyId = asString(table['AccessKeyId']);
    const secretAccessKey = asString(table['SecretAccessKey']);
    if (accessKeyId && secretAccessKey) {
      const sessionToken = asString(table['SessionToken']) || null;
      return usable({ key: null, aws: { accessKeyId, secretAccessKey, sessionToken } }, expiresAtMs, nowMs);
    }
    const key = TOKEN_FIELDS.map((name) => asString(table[name])).find((each) => each);
    if (key) return usable({ key }, expiresAtMs, nowMs);
  }
  return {
    problem: 'printed JSON without a token: a field access_token, token or key, or AccessKeyId and SecretAccessKey',
  };
}

function usable(
  credential: Credential,
  expiresAtMs: number | null,
  nowMs: number,
): PrintedCredential | { readonly problem: string } {
  const parts = [credential.key, ...Object.values(credential.aws ?? {})].filter((part) => part !== null);
  // It goes into a header: a line break would end it, and is the sign of an error message in place of a token.
  if (!parts.every((part) => /^[\x21-\x7e]+$/.test(part)))
    return {
      problem: 'printed something that is not a token: it contains spaces, line breaks or characters beyond ASCII',
    };
  if (expiresAtMs !== null && expiresAtMs <= nowMs) return { problem: 'printed a credential that has expired' };
  return { credential, expiresAtMs };
}

/** A time as a date, or in seconds since 1970; `expires_in` counts from now. */
function expiryOf(table: Loose, nowMs: number): number | null {
  const seconds = asNumber(table['expires_in']);
  if (seconds !== null) return nowMs + seconds * 1000;
  for (const name of EXPIRY_FIELDS) {
    const value = table[name];
    const epoch = asNumber(value) ?? (typeof value === 'string' && /^\d{9,11}$/.test(value) ? Number(value) : null);
    if (epoch !== null) return epoch * 1000;
    // Azure's `expiresOn` has no zone and is in local time, as Date.parse reads it.
    const date = typeof value === 'string' ? Date.parse(value.replace(/^(\d{4}-\d\d-\d\d) /, '$1T')) : Number.NaN;
    if (!Number.isNaN(date)) return date;
  }
  return null;
}
