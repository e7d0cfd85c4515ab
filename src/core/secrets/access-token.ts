/**
 * The forms of animus's own secrets for people: a prefix, 32 random bytes and a checksum in base64url. Secret scanners find them by their form, and one
 * that was cut or mistyped, or stands where another kind belongs, is recognised without asking the database, which stores only the hash.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Secret } from './secret.ts';

/** A bearer token, the secret of a browser's session, and that of a link with which a session begins. */
export type AccessSecret = 'token' | 'session' | 'link';

const PREFIXES: Readonly<Record<AccessSecret, string>> = {
  token: 'animus_',
  session: 'animus_session_',
  link: 'animus_link_',
};

/** 43 characters are 32 bytes, 6 are the 4 bytes of the checksum. */
const FORM = /^([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{6})$/;

/** Makes a new secret of 256 random bits; default: a token. */
export function newAccessToken(kind: AccessSecret = 'token'): Secret {
  const text = `${PREFIXES[kind]}${randomBytes(32).toString('base64url')}`;
  return new Secret(text + checksum(text));
}

/** The SHA-256 by which the database knows a secret; null if the text cannot be one of this kind. It has too many bits to be guessed from its hash. */
export function hashAccessToken(text: string, kind: AccessSecret = 'token'): Buffer | null {
  const prefix = PREFIXES[kind];
  const [, random, check] = (text.startsWith(prefix) && FORM.exec(text.slice(prefix.length))) || [];
  if (random === undefined || check !== checksum(prefix + random)) return null;
  return createHash('sha256').update(text).digest();
}

function checksum(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return bytes.toString('base64url');
}
