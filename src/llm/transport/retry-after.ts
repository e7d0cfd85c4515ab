import type { IncomingHttpHeaders } from 'node:http';

/**
 * How long the provider asks us to wait, in milliseconds, or null. `retry-after-ms` (OpenAI, Azure) is exact and takes
 * precedence. `retry-after` is seconds, with fractions, or an HTTP date (RFC 9110 §10.2.3). Null if invalid, 0 if past.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const exact = decimal(headers['retry-after-ms']);
  if (exact !== null) return exact;
  const header = headers['retry-after'];
  const seconds = decimal(header);
  if (seconds !== null) return Math.ceil(seconds * 1000);
  // Date.parse accepts almost anything ("-5" is a year), so check the form first.
  if (typeof header !== 'string' || !/^[A-Za-z]{3,9},? /.test(header)) return null;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

function decimal(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string' || !/^\s*\d+(\.\d+)?\s*$/.test(header)) return null;
  return Number(header);
}
