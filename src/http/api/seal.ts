/** Encrypts answers that contain a secret while they are kept for a repetition: the database alone cannot show them. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { AnimusError } from '../../core/errors/errors.ts';

export interface Seal {
  close(text: string): string;
  /** Errors: `http.key_reused` for an answer that was sealed for another token. */
  open(sealed: string): string;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with a key made of the client's token or session, of which the database has only a hash, and its Idempotency-Key. */
export function sealFor(secret: string, idempotencyKey: string): Seal {
  // The same token may come as `bearer` the next time, from another client library.
  const presented = secret.replace(/^bearer +/i, 'Bearer ');
  const key = Buffer.from(hkdfSync('sha256', presented, idempotencyKey, 'animus answer', 32));
  return {
    close(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      const body = bytes.subarray(IV_BYTES + TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch (error) {
        const detail = 'the answer to this idempotency key can only be repeated with the token of the first request';
        throw new AnimusError('http.key_reused', { detail }, { cause: error });
      }
    },
  };
}
