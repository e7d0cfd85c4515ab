import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { string as anyString, assert, property } from 'fast-check';
import { expect, test } from 'vitest';
import { scramExchange, scramVerifier } from '../../../src/store/embedded/scram.ts';

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The client's part, written from RFC 5802 and not from the server's code. */
function answer(
  password: string,
  clientFirstBare: string,
  serverFirst: string,
  gs2: string,
): { final: string; serverSignature: string } {
  const [, nonce = '', salt = '', iterations = ''] = /^r=(.*),s=(.*),i=(\d+)$/.exec(serverFirst) ?? [];
  const salted = pbkdf2Sync(password, Buffer.from(salt, 'base64'), Number(iterations), 32, 'sha256');
  const clientKey = hmac(salted, 'Client Key');
  const withoutProof = `c=${Buffer.from(gs2).toString('base64')},r=${nonce}`;
  const authMessage = `${clientFirstBare},${serverFirst},${withoutProof}`;
  const signature = hmac(createHash('sha256').update(clientKey).digest(), authMessage);
  const proof = clientKey.map((byte, i) => byte ^ (signature[i] ?? 0));
  return {
    final: `${withoutProof},p=${Buffer.from(proof).toString('base64')}`,
    serverSignature: hmac(hmac(salted, 'Server Key'), authMessage).toString('base64'),
  };
}

const verifier = scramVerifier('right');

test.each(['n,,', 'y,,'])('a client with the password can log in and gets proof of the server (%s)', (gs2) => {
  const exchange = scramExchange(verifier);
  const serverFirst = exchange.first(`${gs2}n=*,r=clientnonce`) ?? '';
  expect(serverFirst).toMatch(/^r=clientnonce.{20,},s=.{20,},i=4096$/);
  const { final, serverSignature } = answer('right', 'n=*,r=clientnonce', serverFirst, gs2);
  expect(exchange.final(final)).toBe(`v=${serverSignature}`);
});

test('a wrong password, a replayed proof or a changed nonce is refused', () => {
  const first = scramExchange(verifier);
  const serverFirst = first.first('n,,n=*,r=abc') ?? '';
  expect(first.final(answer('wrong', 'n=*,r=abc', serverFirst, 'n,,').final)).toBeNull();
  const { final } = answer('right', 'n=*,r=abc', serverFirst, 'n,,');
  expect(first.final(final.replace('r=abc', 'r=abd'))).toBeNull();
  const second = scramExchange(verifier);
  second.first('n,,n=*,r=abc');
  expect(second.final(final)).toBeNull();
});

test('no input makes it throw or lets anybody in', () => {
  assert(
    property(anyString(), anyString(), (first, final) => {
      const exchange = scramExchange(verifier);
      exchange.first(first);
      expect(exchange.final(final)).toBeNull();
      const begun = scramExchange(verifier);
      begun.first('n,,n=*,r=abc');
      expect(begun.final(final)).toBeNull();
    }),
  );
});

test('a final message without a first is refused', () => {
  expect(scramExchange(verifier).final('c=,r=,p=')).toBeNull();
});
