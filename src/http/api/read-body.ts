/** Reads the JSON body of a request within limits, before anything is parsed. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AnimusError } from '../../core/errors/errors.ts';
import { checkJson, parseJson } from './parse-json.ts';
import type { Sent } from './sent-request.ts';

/** Of a route that sets none: 1 MiB. */
export const DEFAULT_BODY_BYTES = 1024 * 1024;
/** Between the steps of reading a larger body, others have their turn. */
const LARGE_BYTES = DEFAULT_BODY_BYTES;

/** A body as it came. */
export interface SentBody {
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

/**
 * The parsed body, and its bytes. `optional`: no body, or an empty one, is `{}`. Errors: `http.media_type` for anything but uncompressed JSON,
 * `http.too_large`, `http.invalid` for text that is not UTF-8, no JSON, or JSON that `parseJson` refuses.
 */
export async function readJsonBody(
  request: Pick<Sent, 'headers' | 'body'>,
  limits: { readonly maxBytes?: number | undefined; readonly optional?: boolean } = {},
): Promise<SentBody> {
  const { maxBytes = DEFAULT_BODY_BYTES, optional = false } = limits;
  const type = request.headers.get('content-type') ?? '';
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (optional && type === '' && !hasBody(request)) return EMPTY;
  if (!JSON_TYPE.test(type) || encoding !== 'identity') throw new AnimusError('http.media_type');
  const bytes = await readBytes(request, maxBytes);
  if (optional && bytes.byteLength === 0) return EMPTY;
  const pause = async () => (bytes.length > LARGE_BYTES ? nextTurn() : undefined);
  await pause();
  const text = decode(bytes);
  await pause();
  checkJson(text);
  await pause();
  const value = parseJson(text);
  await pause();
  return { value, bytes };
}

/** The same as what it means, so that a repetition with either has the same digest. */
const EMPTY: SentBody = { value: {}, bytes: Buffer.from('{}') };

function hasBody({ headers }: Pick<Sent, 'headers'>): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) !== 0;
}

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

async function readBytes(request: Pick<Sent, 'headers' | 'body'>, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new AnimusError('http.too_large', { limit: maxBytes });
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AnimusError('http.invalid', { detail: 'the body is not UTF-8' });
  }
}
