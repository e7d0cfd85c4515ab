/** Answers in JSON, and how they are written to Node's response. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StreamedResponse } from '../events/streamed-response.ts';
import { slicesOf } from './slices.ts';

/** An answer before it is sent. */
export interface Answer {
  readonly status: number;
  /** JSON. */
  readonly text: string;
  /** It is the answer of an earlier request with the same key. */
  readonly replayed?: boolean;
  /** Sent in place of the text, with the headers of an event stream. */
  readonly stream?: Response;
  /** Beside those that every answer has, or instead of them. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A longer answer, in characters, is handed to the socket in pieces, so that the server sees how fast its reader takes it. */
const IN_ONE_PIECE = 64 * 1024;

export function headersOf({ replayed = false, headers, stream }: Answer): Record<string, string> {
  return {
    ...(stream ? Object.fromEntries(stream.headers) : { 'content-type': 'application/json; charset=utf-8' }),
    ...(replayed && { 'idempotency-replayed': 'true' }),
    ...headers,
  };
}

/** Writes the answer with these headers; a short one in a single write. Resolves when the socket has taken it. It is not an error if the client leaves. */
export async function writeAnswer(
  response: ServerResponse,
  { status, text, stream }: Pick<Answer, 'status' | 'text' | 'stream'>,
  headers: Record<string, string | number>,
): Promise<void> {
  if (stream instanceof StreamedResponse) {
    response.writeHead(status, headers);
    return stream.send(response);
  }
  headers['content-length'] = Buffer.byteLength(text);
  response.writeHead(status, headers);
  if (text.length <= IN_ONE_PIECE) response.end(text);
  else await pipeline(Readable.from(slicesOf(text)), response).catch(() => {});
}
