/** The public keys of an OIDC issuer: fetched when they are needed, kept, and fetched again when a token names a key that is not among them. */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { JOSEError, JWKSInvalid, JWKSTimeout } from 'jose/errors';
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';

export interface KeySource {
  readonly issuer: string;
  /** Null: as the discovery document of the issuer says. */
  readonly jwksUrl: string | null;
  /** Time between two fetches for keys that are not there, and after a fetch that failed; default 30 s. Strangers cause at most one fetch in that time. */
  readonly pauseMs?: number;
  readonly now?: () => number;
}

const TIMEOUT_MS = 5000;
const PAUSE_MS = 30_000;
/** After which keys are fetched again, so that a key that the issuer has withdrawn is not accepted for long. */
const MAX_AGE_MS = 600_000;
/** Larger answers are not key sets. */
const MAX_BYTES = 1024 * 1024;

/** A resolver of keys for `jwtVerify`. It raises `http.issuer` if the keys cannot be read. */
export function issuerKeys({ issuer, jwksUrl, pauseMs = PAUSE_MS, now = Date.now }: KeySource): JWTVerifyGetKey {
  let resolving: Promise<JWTVerifyGetKey> | null = null;
  let failed: { readonly at: number; readonly error: AnimusError } | null = null;
  const read = async (url: string): Promise<Response> => {
    if (failed !== null && now() - failed.at < pauseMs) throw failed.error;
    return readJson(url);
  };
  const open = async (): Promise<JWTVerifyGetKey> => {
    const url = jwksUrl ?? (await discover(issuer, read));
    const settings = { timeoutDuration: TIMEOUT_MS, cooldownDuration: pauseMs, cacheMaxAge: MAX_AGE_MS };
    return createRemoteJWKSet(new URL(url), { ...settings, [customFetch]: read });
  };
  return async (header, token) => {
    try {
      resolving ??= open().catch((error: unknown) => {
        resolving = null;
        throw error;
      });
      return await (await resolving)(header, token);
    } catch (error) {
      // The token names no key that there is.
      if (error instanceof JOSEError && !(error instanceof JWKSInvalid || error instanceof JWKSTimeout)) throw error;
      if (error === failed?.error) throw error;
      failed = { at: now(), error: isAnimusError(error, 'http.issuer') ? error : unreadable(issuer, error) };
      throw failed.error;
    }
  };
}

/** The URL of the keys. The document has to be that of this issuer (OpenID Connect Discovery 1.0, section 4.3). */
async function discover(issuer: string, read: (url: string) => Promise<Response>): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = (await (await read(url)).json()) as { readonly issuer?: unknown; readonly jwks_uri?: unknown };
  if (document.issuer !== issuer || typeof document.jwks_uri !== 'string') {
    throw unreadable(url, new Error('it is not the document of this issuer, or names no jwks_uri'));
  }
  if (new URL(document.jwks_uri).protocol !== 'https:' && new URL(issuer).protocol === 'https:') {
    throw unreadable(url, new Error('its jwks_uri is not an https URL'));
  }
  return document.jwks_uri;
}

/** Reads a small JSON answer. A redirection is refused, because the key set must come from where it was configured. */
async function readJson(url: string): Promise<Response> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status !== 200) throw new Error(`it answered ${response.status}`);
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    if (text.length > MAX_BYTES) throw new Error(`its answer is larger than ${MAX_BYTES} bytes`);
  }
  return Response.json(JSON.parse(text));
}

function unreadable(url: string, error: unknown): AnimusError {
  return new AnimusError('http.issuer', {}, { cause: new Error(`${url}: ${messageOf(error)}`, { cause: error }) });
}
