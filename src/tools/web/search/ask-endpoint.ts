/** Sends a search to the operator's endpoint, within its limits. Redirects do not leave the endpoint, because the key goes with them. */
import { Agent, type Dispatcher, request } from 'undici';
import { ENCODINGS, headerOf, REDIRECTS, readBody, reasonOf } from '../http-body.ts';
import type { SearchRequest } from './search-api.ts';

/** A response that was read. */
export interface Answered {
  readonly status: number;
  /** Without parameters, in lower case. */
  readonly type: string;
  readonly text: string;
  /** How long the endpoint asks to wait; null if it does not say. */
  readonly retryAfterMs: number | null;
}

/** Of a response, after decompression. Twenty results take a hundredth of it. */
export const MAX_BYTES = 2 * 1024 * 1024;
const MAX_REDIRECTS = 3;
const CONNECT_MS = 10_000;

/** The response, or why there is none. Rejects only when the signal aborts. */
export async function askEndpoint(search: SearchRequest, signal: AbortSignal): Promise<Answered | string> {
  const agent = new Agent({ connections: 1, connect: { timeout: CONNECT_MS } });
  try {
    let { url } = search;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await request(url, {
        dispatcher: agent,
        method: search.method,
        signal,
        headers: {
          accept: 'application/json',
          'accept-encoding': ENCODINGS,
          'user-agent': 'animus (web_search)',
          ...search.headers,
        },
        body: search.body,
      });
      const next = redirectOf(response, url);
      if (next === null) return await read(response);
      if (next.origin !== url.origin)
        return `redirects to ${next.origin}; set web.search.url to the address that answers`;
      if (search.method === 'POST' && response.statusCode < 307)
        return `redirects a POST to ${next.pathname}; set web.search.url to the address that answers`;
      await response.body.dump();
      url = next;
    }
    return `redirects more than ${MAX_REDIRECTS} times`;
  } catch (error) {
    signal.throwIfAborted();
    return `could not be asked: ${reasonOf(error)}`;
  } finally {
    await agent.destroy();
  }
}

function redirectOf(response: Dispatcher.ResponseData, from: URL): URL | null {
  const location = REDIRECTS.has(response.statusCode) ? headerOf(response, 'location') : '';
  return location === '' ? null : URL.parse(location, from.href);
}

async function read(response: Dispatcher.ResponseData): Promise<Answered | string> {
  const found = await readBody(response, MAX_BYTES);
  if (typeof found === 'string') return found;
  if (found.cut) return `answered with more than ${MAX_BYTES / 1024 / 1024} MiB`;
  return {
    status: response.statusCode,
    type: headerOf(response, 'content-type').split(';', 1)[0]!.trim().toLowerCase(),
    text: found.body.toString('utf8'),
    retryAfterMs: retryAfterMs(response),
  };
}

/** From `retry-after`, in seconds or as a date, or from Brave's `x-ratelimit-reset`, whose first number is the soonest limit. */
function retryAfterMs(response: Dispatcher.ResponseData): number | null {
  const written =
    headerOf(response, 'retry-after').trim() || headerOf(response, 'x-ratelimit-reset').split(',', 1)[0]!.trim();
  if (/^\d{1,9}(\.\d{1,9})?$/.test(written)) return Number(written) * 1000;
  const at = written === '' ? Number.NaN : Date.parse(written);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
