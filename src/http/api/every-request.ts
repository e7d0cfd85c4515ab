/** What every request is checked for, and what every answer says. */
import type { IncomingMessage } from 'node:http';
import { AnimusError } from '../../core/errors/errors.ts';
import { checkHeaders, checkHost, checkOrigin, type GateRules } from '../door/gate.ts';
import { sentHeaders } from './sent-request.ts';

/** Errors: `http.invalid`, `http.host`, `http.origin`, and `http.starting` once the server stops. */
export function checkRequest(incoming: IncomingMessage, settings: GateRules, stopping: AbortSignal): void {
  checkHeaders(incoming.rawHeaders);
  checkHost(incoming.headers.host, settings);
  checkOrigin(sentHeaders(incoming), settings);
  if (stopping.aborted) throw new AnimusError('http.starting');
}

/** Headers of every answer; one may have another `cache-control`. */
export function everyAnswer(requestId: string, stopping: AbortSignal): Record<string, string> {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    // The client shall connect to the next server.
    ...(stopping.aborted && { connection: 'close' }),
  };
}
