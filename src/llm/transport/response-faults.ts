import type { IncomingHttpHeaders } from 'node:http';
import { type Fault, fault } from '../wire/fault.ts';
import { showUrl } from './mask.ts';
import { retryAfterMs } from './retry-after.ts';

/** A redirect is a wrong base URL: following it would carry the key to another place. */
export function redirectFault(status: number, headers: IncomingHttpHeaders, url: URL): Fault | null {
  if (status < 300 || status > 399) return null;
  const target = headers.location !== undefined && URL.canParse(headers.location, url.href) ? headers.location : null;
  const where = target === null ? '' : ` to ${showUrl(new URL(target, url))}`;
  const message = `${showUrl(url)} redirects${where}; redirects are not followed, set base_url to the final address`;
  return fault('connection', message, { httpStatus: status, retryable: false });
}

/** Adds what the headers say: how long to wait, whether to come back at all, and the id to tell the provider's support. */
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
  return typeof id === 'string' ? id.slice(0, 200) : null;
}
