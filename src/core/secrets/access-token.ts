/**
 * The form of animus's own bearer tokens: `animus_`, 32 random bytes and a checksum in base64url. Secret scanners find it by its form, and one
 * that was cut or mistyped is recognised without asking the database, which stores only the hash.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Secret } from './secret.ts';

/** 43 characters are 32 bytes, 6 are the 4 bytes of the checksum. */
const FORM = /^animus_([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/;

/** Makes a new token of 256 random bits. */
export function newAccessToken(): Secret {
  const text = `animus_${randomBytes(32).toString('base64url')}`;
  return new Secret(text + checksum(text));
}

/** The SHA-256 by which the database knows a token; null if the text cannot be a token. A token has too many bits to be guessed from its hash. */
export function hashAccessToken(text: string): Buffer | null {
  const [, random, check] = FORM.exec(text) ?? [];
  if (random === undefined || check !== checksum(`animus_${random}`)) return null;
  return createHash('sha256').update(text).digest();
}

function checksum(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return bytes.toString('base64url');
}
