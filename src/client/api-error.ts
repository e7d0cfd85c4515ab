/** What a call throws when it fails. */
import type { ErrorCode, Problem } from './api/shared.ts';

/** Failures that the client notices itself. Those of the server have the codes of docs/errors.md. */
export type ClientErrorCode =
  | 'client.invalid'
  | 'client.unreachable'
  | 'client.timeout'
  | 'client.redirected'
  | 'client.protocol';

interface Details {
  readonly status?: number;
  readonly problem?: Problem;
  readonly requestId?: string | null;
  readonly retryAfterMs?: number | null;
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/** A failed call. Branch on `code`, never on texts. It contains no token. */
export class ApiError extends Error {
  /** Of docs/errors.md, or a `ClientErrorCode`. A later version of the server may send others: a `switch` needs a `default`. */
  readonly code: ErrorCode | ClientErrorCode;
  /** The HTTP status; null: there was no answer. */
  readonly status: number | null;
  /** What a person can do about it. */
  readonly remedy: string;
  /** Names the request in the log of the server; null: there was no answer. */
  readonly requestId: string | null;
  /** The same call may succeed later. */
  readonly retryable: boolean;
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** The body of the answer. */
  readonly problem: Problem | null;

  constructor(code: ErrorCode | ClientErrorCode, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = details.status ?? null;
    this.problem = details.problem ?? null;
    this.requestId = details.requestId ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.retryable = details.problem?.retryable ?? details.retryable ?? false;
    this.remedy = REMEDIES[code] ?? REMEDIES[String(this.status)] ?? 'read the message';
  }
}

/** By code, else by status. */
const REMEDIES: Readonly<Record<string, string>> = {
  'client.invalid': 'correct the call',
  'client.unreachable': 'check that the server runs and that baseUrl is its address',
  'client.timeout': 'try again; raise timeoutMs if the server is slow',
  'client.redirected':
    'set baseUrl to the final address: the client follows no redirects, because it must not send the token elsewhere',
  'client.protocol':
    'check that baseUrl is the address of an animus server, and that no proxy in front of it changes answers',
  400: 'correct the request: the message names what is wrong',
  401: 'use a valid token: animus token create',
  403: 'use a token with this scope, of a person whose role may do it',
  404: 'check the id; something that you may not see is reported as missing',
  409: 'read the current state, then decide again',
  413: 'send less',
  421: 'add the host name to http.allowed_hosts, or use an address in baseUrl',
  422: 'correct the request: the message names what is wrong',
  429: 'send fewer requests, or raise http.requests_per_minute',
  500: 'look for the request id in the log of the server',
  502: 'check the proxy before the server',
  503: 'try again in a moment; if it persists, look at the log of the server',
  504: 'check the proxy before the server',
};
