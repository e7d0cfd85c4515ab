/** An OIDC issuer on this host, with its discovery document and keys, for tests. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { OidcConfig } from '../../src/core/config/sections/http.ts';

interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export interface TestIssuer {
  readonly url: string;
  /** Requests for the keys so far. */
  readonly fetches: number;
  /** All requests so far. */
  readonly requests: number;
  /** What it answers instead of its documents; null: its documents. */
  trouble: { readonly status: number; readonly body: string } | null;
  /** Replaces all its keys by a new one. */
  rotate(alg?: string): Promise<IssuerKey>;
  /** Signs a token with its newest key; `claims` and `header` override what a good one has. */
  sign(claims?: JWTPayload, header?: { readonly kid?: string }, key?: IssuerKey): Promise<string>;
  config(more?: Partial<OidcConfig>): OidcConfig;
  stop(): Promise<void>;
}

export async function startIssuer(): Promise<TestIssuer> {
  let keys: IssuerKey[] = [];
  let [fetches, requests] = [0, 0];
  const server = createServer((request, response) => {
    const { trouble } = issuer;
    const discovery = request.url === '/.well-known/openid-configuration';
    requests += 1;
    if (!discovery) fetches += 1;
    if (trouble !== null) return void response.writeHead(trouble.status, { location: '/keys' }).end(trouble.body);
    const body = discovery
      ? { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }
      : { keys: keys.map(({ jwk }) => jwk) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: TestIssuer = {
    url,
    get fetches() {
      return fetches;
    },
    get requests() {
      return requests;
    },
    trouble: null,
    async rotate(alg = 'ES256') {
      const key = await newKey(alg);
      keys = [key];
      return key;
    },
    sign(claims = {}, header = {}, key = keys.at(-1)!) {
      const now = Math.floor(Date.now() / 1000);
      const good = { iss: url, aud: 'animus', sub: 'alice', iat: now, exp: now + 3600 };
      return new SignJWT({ ...good, ...claims })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
        .sign(key.privateKey);
    },
    config: (more = {}) => ({
      issuer: url,
      audience: ['animus'],
      jwksUrl: null,
      algorithms: ['RS256', 'ES256'],
      clockToleranceSeconds: 30,
      personClaim: 'sub',
      personPrefix: '',
      roleClaim: null,
      roles: new Map(),
      scopePrefix: null,
      allowHttp: false,
      ...more,
    }),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  await issuer.rotate();
  return issuer;
}

/** A key of an issuer, or of somebody who would like to be it. */
export async function newKey(alg = 'ES256', kid: string = crypto.randomUUID()): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}
