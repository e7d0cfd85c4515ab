/** Requests that a client sends again because it does not know whether the first one arrived. */
import { createHash } from 'node:crypto';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { beginRequest, endRequest, type RequestDigests } from '../../store/work/idempotency.ts';
import type { JsonRoute } from '../route/route.ts';
import type { Answer } from './answer.ts';
import type { SentBody } from './read-body.ts';
import type { Seal } from './seal.ts';
import type { Sent } from './sent-request.ts';

/** The Idempotency-Key of a request that changes something; null: none. Errors: `http.invalid`. */
export function keyOf(request: Pick<Sent, 'headers'>, { method, session }: JsonRoute): string | null {
  const key = request.headers.get('idempotency-key');
  // A login is not repeated: a kept answer would be a way in.
  if (key === null || method === 'GET' || session === 'begins') return null;
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new AnimusError('http.invalid', { detail: 'an Idempotency-Key has 1 to 200 printable ASCII characters' });
}

/** What must be equal in requests with the same key: method, path, query and body. The order of keys and parameters, and white space, mean nothing. */
export function digestsOf(request: Pick<Sent, 'method' | 'url'>, { value, bytes }: SentBody): RequestDigests {
  const { pathname, search, searchParams } = new URL(request.url, 'http://host');
  const digest = (query: string, body: string | Uint8Array) =>
    createHash('sha256').update(`${request.method} ${pathname}${query}\n`).update(body).digest();
  searchParams.sort();
  const query = searchParams.size > 0 ? `?${searchParams.toString()}` : '';
  return { meant: digest(query, canonicalJson(value)), asSent: digest(search, bytes) };
}

/** The same text for the same value; no value is an empty one. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sorted) ?? '';
}

function sorted(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Runs `run` unless a request with the key has been answered before, and keeps the answer in the same transaction. A request that fails
 * leaves nothing behind, and may be sent again. `seal`: encrypts what is kept. Errors: `http.key_reused`, `work.locked`.
 */
export async function once(
  tx: Queryable,
  key: string,
  { digests, seal }: { readonly digests: RequestDigests; readonly seal: Seal | null },
  run: () => Promise<Answer>,
): Promise<Answer> {
  const before = await beginRequest(tx, key, digests);
  if (before !== null) return { ...before, text: seal?.open(before.text) ?? before.text, replayed: true };
  const answer = await run();
  await endRequest(tx, key, { ...answer, text: seal?.close(answer.text) ?? answer.text });
  return answer;
}
