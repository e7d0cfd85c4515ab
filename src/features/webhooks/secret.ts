/**
 * The secrets of webhooks, and their signatures as in Standard Webhooks. A secret is derived from a key of the environment, the id of the
 * webhook and the number of the secret, so it is stored nowhere.
 */
import { createHmac } from 'node:crypto';
import { Secret } from '../../core/secrets/secret.ts';

/** Which secret of which key a webhook has. */
export interface WebhookSecretName {
  readonly webhookId: string;
  /** The fingerprint of the key. */
  readonly keyMark: string;
  /** 1 at first; another number makes another secret. */
  readonly secretVersion: number;
}

/** A fingerprint of the key, 16 hexadecimal digits. It tells daemons with another key not to send, and does not lead back to the key. */
export function webhookKeyMark(key: Secret): string {
  return derived(key, 'animus webhook key').toString('hex').slice(0, 16);
}

/** The secret as its receiver keeps it, `whsec_` and 32 bytes in base64; null if none of the keys has the fingerprint. */
export function webhookSecret(
  keys: readonly Secret[],
  { webhookId, keyMark, secretVersion }: WebhookSecretName,
): Secret | null {
  const key = keys.find((one) => webhookKeyMark(one) === keyMark);
  if (key === undefined) return null;
  return new Secret(`${PREFIX}${derived(key, `animus webhook ${webhookId} ${secretVersion}`).toString('base64')}`);
}

const PREFIX = 'whsec_';

/** The three headers of a delivery, with a signature by each secret. `seconds`: the time of this attempt since 1970. */
export function webhookHeaders(
  secrets: readonly Secret[],
  { messageId, seconds, body }: { readonly messageId: string; readonly seconds: number; readonly body: string },
): Readonly<Record<string, string>> {
  const id = `msg_${messageId}`;
  const signatures = secrets.map((secret) => {
    const bytes = Buffer.from(secret.reveal().slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', bytes).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') };
}

function derived(key: Secret, purpose: string): Buffer {
  return createHmac('sha256', key.reveal()).update(purpose).digest();
}
