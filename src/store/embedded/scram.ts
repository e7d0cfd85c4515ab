/** The server's half of SCRAM-SHA-256 (RFC 5802, RFC 7677) without channel binding, for the front of the embedded database. */
import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a server keeps instead of the password. */
export interface ScramVerifier {
  readonly salt: Buffer;
  readonly iterations: number;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

/** One exchange: the client's first message in, the server's first out; the client's final in, the server's final out or null when the proof is wrong. */
export interface ScramExchange {
  first(clientFirst: string): string | null;
  final(clientFinal: string): string | null;
}

/** Derives the verifier; about 2 ms. The password must be ASCII (SASLprep is left out). */
export function scramVerifier(password: string): ScramVerifier {
  const salt = randomBytes(16);
  const iterations = 4096;
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest();
  return { salt, iterations, storedKey, serverKey: hmac(salted, 'Server Key') };
}

/** Begins an exchange. Null results mean: malformed or wrong, refuse the connection. */
export function scramExchange(verifier: ScramVerifier): ScramExchange {
  let gs2 = '';
  let clientFirstBare = '';
  let serverFirst = '';
  let nonce = '';
  return {
    first(clientFirst) {
      const parsed = /^([ny],[^,]*,)(.*)$/s.exec(clientFirst);
      const clientNonce = /(?:^|,)r=([^,]+)/.exec(parsed?.[2] ?? '')?.[1];
      if (!parsed || !clientNonce) return null;
      [gs2, clientFirstBare] = [parsed[1] as string, parsed[2] as string];
      nonce = clientNonce + randomBytes(18).toString('base64');
      serverFirst = `r=${nonce},s=${verifier.salt.toString('base64')},i=${verifier.iterations}`;
      return serverFirst;
    },
    final(clientFinal) {
      const parsed = /^(c=([^,]*),r=([^,]*)),p=([^,]*)$/.exec(clientFinal);
      if (!parsed || nonce === '') return null;
      const [, withoutProof = '', binding = '', finalNonce = '', proof = ''] = parsed;
      if (finalNonce !== nonce || binding !== Buffer.from(gs2).toString('base64')) return null;
      const authMessage = `${clientFirstBare},${serverFirst},${withoutProof}`;
      const signature = hmac(verifier.storedKey, authMessage);
      const clientKey = Buffer.from(proof, 'base64');
      if (clientKey.length !== signature.length) return null;
      for (let i = 0; i < clientKey.length; i++) clientKey[i] = (clientKey[i] as number) ^ (signature[i] as number);
      if (!timingSafeEqual(createHash('sha256').update(clientKey).digest(), verifier.storedKey)) return null;
      return `v=${hmac(verifier.serverKey, authMessage).toString('base64')}`;
    },
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
