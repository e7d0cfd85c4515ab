import type { IncomingHttpHeaders } from 'node:http';
import { type Fault, fault } from '../wire/fault.ts';
import { showUrl } from './mask.ts';
import { retryAfterMs } from './retry-after.ts';

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Treats a redirect as a wrong base URL: following it would send the key to another server. */
export function redirectFault(status: number, headers: IncomingHttpHeaders, url: URL): Fault | null {
  if (status < 300 || status > 399) return null;
  const target = headers.location !== undefined && URL.canParse(headers.location, url.href) ? headers.location : null;
  const where = target === null ? '' : ` to ${showUrl(new URL(target, url))}`;
  const message = `${showUrl(url)} redirects${where}; redirects are not followed, set base_url to the final address`;
  return fault('connection', message, { httpStatus: status, retryable: false });
}

/** The fault of a compressed response: no request asks for one, and a small body may unpack to any size. */
export function encodingFault(headers: IncomingHttpHeaders): Fault | null {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === '' || /^identity$/i.test(encoding)) return null;
  const message = `the response is compressed (content-encoding: ${encoding}), which was not asked for`;
  return fault('protocol', message, { retryable: false });
}

/**
 * The fault of a body that is neither a stream of events nor JSON. Pages and texts are tried again: proxies and captive portals send them,
 * also with status 200, while the server behind them is away. What the server sends each time is not, because it may charge for it.
 */
export function notJson(text: string): Fault {
  const start = text.trimStart();
  if (start === '') return fault('connection', 'the response is empty');
  if (isBinary(start[0]!)) {
    const message = 'the response is binary data; perhaps it is compressed, which was not asked for';
    return fault('protocol', message, { retryable: false });
  }
  if (start.startsWith('<')) return fault('protocol', `the response is an HTML page, not an answer: ${text}`);
  if (start.startsWith('{') || start.startsWith('['))
    return fault('connection', 'the response body is cut off or is not JSON');
  return fault('protocol', `the response is neither a stream of events nor JSON: ${text}`);
}

/** Control characters, and the replacement character of bytes that are not UTF-8: no stream and no JSON begins with them. */
export function isBinary(first: string): boolean {
  return /[\p{Cc}\uFFFD]/u.test(first);
}

/** Adds information from headers: how long to wait, whether to retry, and the request id for the provider's support. */
export function faultWithHeaders(cause: Fault, headers: IncomingHttpHeaders, nowMs: number): Fault {
  return {
    ...cause,
    retryable: cause.retryable && headers['x-should-retry'] !== 'false',
    retryAfterMs: cause.retryAfterMs ?? retryAfterMs(headers, nowMs),
    requestId: cause.requestId ?? requestIdOf(headers),
  };
}

function requestIdOf(headers: IncomingHttpHeaders): string | null {
  const id = headers['request-id'] ?? headers['x-request-id'];
  return typeof id === 'string' ? id : null;
}
