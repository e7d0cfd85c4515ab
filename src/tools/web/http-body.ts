/** Reads responses of the web: neither their size nor their content can be trusted. */
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { messageOf } from '../../core/errors/errors.ts';

/** Of a page, after decompression. */
export const MAX_PAGE_BYTES = 5 * 1024 * 1024;

/** A body. */
export interface ReadBody {
  /** Decompressed; at most the limit. */
  readonly body: Buffer;
  /** The body was longer. */
  readonly cut: boolean;
}

/** The statuses of redirects to another location. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The values of `accept-encoding` that can be read. */
export const ENCODINGS = 'gzip, deflate, br';

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Reads at most `maxBytes` after decompression; a text says which compression cannot be read. Rejects when the connection fails. */
export async function readBody(
  response: Pick<Dispatcher.ResponseData, 'headers' | 'body'>,
  maxBytes: number,
): Promise<ReadBody | string> {
  const encoding = headerOf(response, 'content-encoding').trim().toLowerCase();
  const decoder = DECODERS[encoding];
  if (encoding !== '' && encoding !== 'identity' && !decoder) {
    return `is compressed as ${JSON.stringify(encoding.slice(0, 50))}, which cannot be read`;
  }
  const body: Readable = response.body;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const plain = decoder ? body.compose(decoder()) : body;
  for await (const chunk of plain as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Leaving the loop ends the stream, so the rest is neither read nor decompressed.
    if (bytes > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), cut: bytes > maxBytes };
}

/** The first value of a header; empty if there is none. */
export function headerOf({ headers }: Pick<Dispatcher.ResponseData, 'headers'>, name: string): string {
  const value = headers[name] ?? '';
  return Array.isArray(value) ? (value[0] ?? '') : value;
}

/** The message of the innermost cause. */
export function reasonOf(error: unknown): string {
  return messageOf(innermostCause(error));
}

/** Why a request failed: the error of a failed connection is inside that of the request. */
export function innermostCause(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermostCause(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? innermostCause(error.cause) : error;
}
