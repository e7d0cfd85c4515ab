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
  checkCharacters(text);
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

/**
 * Refuses what JSON allows and the database does not: values that are nested too deeply, and the character NUL. One character after the
 * other: a regular expression overflows the stack at a string of some megabytes.
 */
function checkCharacters(text: string): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') inString = !inString;
    else if (inString) {
      if (character !== '\\') continue;
      if (text.startsWith('u0000', at + 1)) throw invalid('the body contains the character NUL');
      at++;
    } else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    if (depth > MAX_DEPTH) throw invalid(`the body is nested more than ${MAX_DEPTH} levels deep`);
  }
}

function invalid(detail: string): AnimusError {
  return new AnimusError('http.invalid', { detail });
}
