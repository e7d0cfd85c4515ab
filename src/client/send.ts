/** Sends requests, and sends them again where that is safe: to the next address after a failure of the server. */
import type { Addresses } from './addresses.ts';
import { ApiError } from './api-error.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { errorOf } from './read-answer.ts';
import { backOffMs, sleep } from './sleep.ts';

/** A request before it is sent. */
export interface Outgoing {
  readonly method: string;
  /** Below the address of the API, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** It may have its effect again if it is sent again: the server does not heed its Idempotency-Key. */
  readonly unsafe?: boolean;
}

/** Sends a request, with `read` as the part of an attempt that follows the headers; `root`: the address that answered. Errors: `ApiError`; the signal's reason. */
export type Send = <Result>(
  outgoing: Outgoing,
  options: CallOptions,
  read: (response: Response, root: string) => Promise<Result> | Result,
) => Promise<Result>;

/** An answer that says when it can be had is waited for so long, and no longer. */
const LONGEST_WAIT_MS = 60_000;
/** For each address. */
const USUAL_RETRIES = 4;
/** Of the person, whichever server answers. */
const TOO_MANY = 429;
const ALWAYS_REFUSED = [TOO_MANY, 503];
const PERHAPS_DONE = [502, 504];

/** Whether a failed request may succeed when it is sent again, without a change. */
export function isTransient(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { code, status } = error;
  if (code === 'client.unreachable' || code === 'client.timeout') return true;
  return isRefusal(status) || PERHAPS_DONE.includes(status ?? 0);
}

/** Makes the function that sends the requests of a client. */
export function createSend(client: ClientOptions, addresses: Addresses): Send {
  const { token, retries: mostRetries = USUAL_RETRIES * addresses.count, timeoutMs: usualMs = 60_000 } = client;
  const request = client.fetch ?? fetch;

  async function attempt<Result>(
    root: string,
    outgoing: Outgoing,
    { signal, timeoutMs = usualMs }: CallOptions,
    read: (response: Response, root: string) => Promise<Result> | Result,
  ): Promise<Result> {
    const known = await tokenOf({ token });
    const { method, path, headers, body } = outgoing;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      const response = await request(root + path, {
        method,
        headers: { ...headers, ...(known !== null && { authorization: `Bearer ${known}` }) },
        // The token must not be sent to where a redirect leads.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        ...(body !== undefined && { body }),
      });
      if (!response.ok && response.status !== 304) throw await errorOf(response);
      return await read(response, root);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ApiError) throw error;
      const { origin } = new URL(root);
      throw late.signal.aborted
        ? new ApiError('client.timeout', `${origin} did not answer within ${timeoutMs} ms`, { retryable: true })
        : new ApiError('client.unreachable', `cannot reach ${origin}`, { retryable: true, cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  return async (outgoing, options, read) => {
    const { retries = mostRetries, signal } = options;
    for (let failures = 0; ; failures++) {
      signal?.throwIfAborted();
      const root = addresses.current();
      try {
        return await attempt(root, outgoing, options, read);
      } catch (error) {
        const isOfServer = isTransient(error) && error.status !== TOO_MANY;
        if (isOfServer) addresses.leave(root);
        // Each address is tried before anything is waited for.
        const untried = isOfServer && (failures + 1) % addresses.count !== 0;
        if (failures >= retries || !mayRepeat(error, outgoing, untried)) throw error;
        const round = Math.floor(failures / addresses.count);
        if (!untried) await sleep(Math.max(backOffMs(round), error.retryAfterMs ?? 0), signal);
      }
    }
  };
}

function mayRepeat(error: unknown, { unsafe = false }: Outgoing, untried: boolean): error is ApiError {
  if (!isTransient(error)) return false;
  if (!untried && (error.retryAfterMs ?? 0) > LONGEST_WAIT_MS) return false;
  return !unsafe || isRefusal(error.status);
}

function isRefusal(status: number | null): boolean {
  return ALWAYS_REFUSED.includes(status ?? 0);
}

/** The token for the next request; null: it has none. Errors: `client.invalid`, because an error of `fetch` about a header would contain it. */
export async function tokenOf({ token: given }: Pick<ClientOptions, 'token'>): Promise<string | null> {
  if (given === null) return null;
  const token: unknown = typeof given === 'function' ? await given() : given;
  if (typeof token === 'string' && /^[\x21-\x7e]{1,8000}$/.test(token)) return token;
  throw new ApiError('client.invalid', 'the token is not 1 to 8,000 printable ASCII characters without spaces');
}
