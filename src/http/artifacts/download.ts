/** Sends a file in parts, so that a slow reader costs little memory, and a token that is revoked meanwhile ends the download. */

import type { ArtifactView } from '../../store/views/artifact-views.ts';
import { readArtifactPart, readVisibleArtifact } from '../../store/views/visible/visible-artifacts.ts';
import { readingAs } from '../login/visitor.ts';
import { fileHeaders } from '../route/file-headers.ts';
import type { StreamDescription, Visit } from '../route/route.ts';

/** What the OpenAPI document says of routes that answer with a `download`. */
export const DOWNLOAD: StreamDescription = {
  headers: {
    Range: 'One range of bytes.',
    'If-Range': 'The ETag for which the Range is meant.',
    'If-None-Match': 'The ETag of the file that the client has.',
  },
  answers: {
    206: 'The range of bytes.',
    304: 'The client has the file.',
    416: 'The Range begins beyond the end of the file.',
  },
};

/** One part, in bytes. */
const PART_BYTES = 512 * 1024;
/** What is handed to the socket at once. */
const PIECE_BYTES = 64 * 1024;

/** Answers 200, 206 for one Range, 304 for a known ETag, 416 for a Range beyond the end. A file never changes, except the patch of an item, which has another time then. */
export async function download(visit: Visit, id: string, request: Request): Promise<Response> {
  const { visitor, services } = visit;
  const file = await readingAs(services.db, visitor, (tx) => readVisibleArtifact(tx, id));
  const headers = headersOf(file);
  if (request.headers.get('if-none-match') === headers.etag) return new Response(null, { status: 304, headers });
  const wanted = request.headers.get('if-range') ?? headers.etag;
  const range = wanted === headers.etag ? rangeOf(request.headers.get('range'), file.bytes) : null;
  if (range === 'beyond') {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${file.bytes}` } });
  }
  const { first, last } = range ?? { first: 0, last: file.bytes - 1 };
  return new Response(ReadableStream.from(partsOf(visit, file, first, last)), {
    status: range === null ? 200 : 206,
    headers: {
      ...headers,
      'content-length': String(last - first + 1),
      ...(range !== null && { 'content-range': `bytes ${first}-${last}/${file.bytes}` }),
    },
  });
}

function headersOf({ id, name, media_type: type, created_at: at }: ArtifactView) {
  const known = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream';
  return { ...fileHeaders(known, name), 'accept-ranges': 'bytes', etag: `"${id}-${at.getTime()}"` };
}

interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** One range of bytes; null: none, or of a form that is ignored (RFC 9110, 14.2). */
function rangeOf(header: string | null, bytes: number): ByteRange | 'beyond' | null {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return null;
  if (from === '') {
    return Number(to) === 0 || bytes === 0 ? 'beyond' : { first: Math.max(0, bytes - Number(to)), last: bytes - 1 };
  }
  const [first, last] = [Number(from), to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1)];
  if (first >= bytes) return 'beyond';
  return last < first ? null : { first, last };
}

/** In small pieces, so that the server sees how fast its reader takes them. */
async function* partsOf(
  { visitor, services }: Visit,
  file: ArtifactView,
  first: number,
  last: number,
): AsyncGenerator<Uint8Array> {
  for (let next = first; next <= last; next += PART_BYTES) {
    const length = Math.min(PART_BYTES, last - next + 1);
    const part = await readingAs(services.db, visitor, (tx) => readArtifactPart(tx, file, next, length));
    if (part === null || part.byteLength !== length)
      throw new Error(`artifact ${file.id} ended before its length, or was changed`);
    for (let at = 0; at < length; at += PIECE_BYTES) yield part.subarray(at, at + PIECE_BYTES);
  }
}
