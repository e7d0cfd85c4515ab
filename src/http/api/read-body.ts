/** Reads the JSON body of a request within limits, before anything is parsed. */
import { AnimusError } from '../../core/errors/errors.ts';

/** Of a route that sets none: 1 MiB. */
export const DEFAULT_BODY_BYTES = 1024 * 1024;
/** Arrays and objects inside each other. The database refuses deeper values, too. */
const MAX_DEPTH = 100;

/**
 * The parsed body, and its bytes. Errors: `http.media_type` for anything but uncompressed JSON, `http.too_large`, `http.invalid` for
 * text that is not UTF-8, no JSON, or nested too deeply.
 */
export async function readJsonBody(
  request: Request,
  maxBytes = DEFAULT_BODY_BYTES,
): Promise<{ readonly value: unknown; readonly bytes: Uint8Array }> {
  const type = request.headers.get('content-type') ?? '';
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (!JSON_TYPE.test(type) || encoding !== 'identity') throw new AnimusError('http.media_type');
  const bytes = await readBytes(request, maxBytes);
  return { value: parse(bytes), bytes };
}

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
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

function parse(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (isDeeper(text, MAX_DEPTH)) throw invalid(`the body is nested more than ${MAX_DEPTH} levels deep`);
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(text === '' ? 'the body is empty' : 'the body is not JSON');
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('the body is not UTF-8');
  }
}

/** Whether arrays and objects stand more than `most` levels inside each other; text in quotes does not count. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    if (depth > most) return true;
  }
  return false;
}

function invalid(detail: string): AnimusError {
  return new AnimusError('http.invalid', { detail });
}
