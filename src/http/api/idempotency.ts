/** Requests that a client sends again because it does not know whether the first one arrived. */
import { createHash } from 'node:crypto';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { beginRequest, endRequest } from '../../store/work/idempotency.ts';
import type { JsonRoute } from '../route/route.ts';
import type { Seal } from './seal.ts';

/** An answer before it is sent. */
export interface Answer {
  readonly status: number;
  /** JSON. */
  readonly text: string;
  /** It is the answer of an earlier request with the same key. */
  readonly replayed?: boolean;
  /** Beside those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The Idempotency-Key of a request that changes something; null: none. Errors: `http.invalid`. */
export function keyOf(request: Request, { method }: JsonRoute): string | null {
  const key = request.headers.get('idempotency-key');
  if (key === null || method === 'GET') return null;
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new AnimusError('http.invalid', { detail: 'an Idempotency-Key has 1 to 200 printable ASCII characters' });
}

/** What must be equal in requests with the same key: method, path, query and body. */
export function requestDigest(request: Request, body: Uint8Array): Buffer {
  const { pathname, search } = new URL(request.url);
  return createHash('sha256').update(`${request.method} ${pathname}${search}\n`).update(body).digest();
}

/**
 * Runs `run` unless a request with the key has been answered before, and keeps the answer in the same transaction. A request that fails
 * leaves nothing behind, and may be sent again. `seal`: encrypts what is kept. Errors: `http.key_reused`, `work.locked`.
 */
export async function once(
  tx: Queryable,
  key: string,
  { digest, seal }: { readonly digest: Buffer; readonly seal: Seal | null },
  run: () => Promise<Answer>,
): Promise<Answer> {
  const before = await beginRequest(tx, key, digest);
  if (before !== null) return { ...before, text: seal?.open(before.text) ?? before.text, replayed: true };
  const answer = await run();
  await endRequest(tx, key, { ...answer, text: seal?.close(answer.text) ?? answer.text });
  return answer;
}
