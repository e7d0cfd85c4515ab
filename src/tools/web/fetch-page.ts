/** Fetches a page of the web: each hop of a redirect is checked as the first one is. */

import { request } from 'undici';
import { stricter, type Verdict } from '../../core/permissions/verdict.ts';
import { ForbiddenAddress, forbiddenLiteral, guardedAgent, type VetAddresses, type WebReach } from './guarded-agent.ts';
import { ENCODINGS, headerOf, MAX_PAGE_BYTES, REDIRECTS, type ReadBody, readBody, reasonOf } from './http-body.ts';

/** A response. */
export interface Page extends ReadBody {
  /** After redirects. */
  readonly url: URL;
  readonly status: number;
  /** The `content-type` header; empty if there is none. */
  readonly type: string;
  readonly redirects: number;
}

/** Why there is no page; for the model. */
export interface NoPage {
  readonly refusal: string;
  /** There if an address that it leads to may not be reached. */
  readonly boundary?: 'address';
}

const MAX_REDIRECTS = 5;
/** Until the headers, and between two pieces of the body. */
const SILENCE_MS = 20_000;

/** What the rules of the faculty say about a URL; `addresses`: as if it also named these in place of its host. */
export type JudgeUrl = (url: string, addresses?: readonly string[]) => Promise<Verdict>;

/**
 * GETs the URL without cookies and credentials. A redirect to another host is followed only where the rules let that URL be fetched unasked, and
 * one within a host where they do not forbid it. Rejects only when the signal aborts.
 */
export async function fetchPage(
  text: string,
  reach: WebReach,
  signal: AbortSignal,
  judge: JudgeUrl = async () => 'auto',
): Promise<Page | NoPage> {
  let from: string | undefined;
  let next = text;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const url = URL.parse(next, from);
    const no = refusalOf(url, next, reach);
    if (url === null || no !== null) {
      return { ...no, refusal: from ? `${from} redirects elsewhere: ${no?.refusal}` : `${no?.refusal}` };
    }
    const unfollowed = from === undefined ? null : await unfollowedOf(url, new URL(from), judge);
    if (unfollowed !== null) return { refusal: `${from} redirects elsewhere: ${unfollowed}` };
    const hop = await fetchOnce(url, reach, signal, vetFor(url, judge));
    if (!('location' in hop)) return 'refusal' in hop ? hop : { ...hop, url, redirects };
    from = url.href;
    next = hop.location;
  }
  return { refusal: `${text} redirects more than ${MAX_REDIRECTS} times` };
}

/** Why a redirect is not followed: an open redirect of an allowed site must not lead around a rule. */
async function unfollowedOf(url: URL, from: URL, judge: JudgeUrl): Promise<string | null> {
  const verdict = await judge(url.href);
  if (verdict === 'auto' || (verdict === 'ask' && url.hostname === from.hostname)) return null;
  return verdict === 'forbid'
    ? `the rules of this work forbid ${url.href}`
    : `${url.href} may not be fetched unasked; call the tool with that URL if you need it`;
}

/** A name must not lead where a rule about addresses does not let its URL go. */
function vetFor(url: URL, judge: JudgeUrl): VetAddresses {
  return async (addresses) => {
    const [named, resolved] = [await judge(url.href), await judge(url.href, addresses)];
    if (resolved === named || stricter(resolved, named) === named) return null;
    const where = `${url.hostname} has the address ${addresses.join(' and ')}, and the rules of this work`;
    return resolved === 'forbid'
      ? `${where} forbid that`
      : `${where} have a person asked about that; call the tool with the address`;
  };
}

function refusalOf(url: URL | null, text: string, reach: WebReach): NoPage | null {
  const shape = url === null ? notAUrl(text) : shapeProblem(url);
  if (url === null || shape !== null) return { refusal: `${shape}` };
  const forbidden = forbiddenLiteral(url, reach);
  return forbidden && { refusal: forbidden.message, boundary: 'address' };
}

function notAUrl(text: string): string {
  return `${JSON.stringify(text.slice(0, 200))} is not a URL; it must begin with https:// or http://`;
}

function shapeProblem(url: URL): string | null {
  if (!/^https?:$/.test(url.protocol)) return `${url.protocol}// is not supported; use https:// or http://`;
  if (url.username !== '' || url.password !== '') return 'the URL must not contain a user or password';
  // Below 1024 are mail, file and name servers, which can be made to obey a request for a page.
  if (url.port !== '' && Number(url.port) < 1024)
    return `port ${url.port} is not allowed; use 80, 443, or one from 1024`;
  return null;
}

type Hop = { readonly location: string } | Omit<Page, 'url' | 'redirects'> | NoPage;

async function fetchOnce(url: URL, reach: WebReach, signal: AbortSignal, vet: VetAddresses): Promise<Hop> {
  const agent = guardedAgent(url, reach, vet);
  try {
    const response = await request(url, {
      dispatcher: agent,
      signal,
      headersTimeout: SILENCE_MS,
      bodyTimeout: SILENCE_MS,
      headers: {
        accept: 'text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.1',
        'accept-encoding': ENCODINGS,
        'user-agent': 'animus (web_fetch)',
      },
    });
    const { statusCode: status } = response;
    const location = headerOf(response, 'location');
    if (REDIRECTS.has(status) && location !== '') return { location };
    const type = headerOf(response, 'content-type');
    const read = await readBody(response, MAX_PAGE_BYTES);
    return typeof read === 'string' ? { refusal: `${url.href} ${read}` } : { status, type, ...read };
  } catch (error) {
    signal.throwIfAborted();
    return { refusal: `${url.href} could not be fetched: ${reasonOf(error)}`, ...(isForbidden(error) && AT_ADDRESS) };
  } finally {
    await agent.destroy();
  }
}

const AT_ADDRESS = { boundary: 'address' } as const;

/** The refusal of an address is inside the error of the connection. */
function isForbidden(error: unknown): boolean {
  if (error instanceof ForbiddenAddress) return true;
  if (error instanceof AggregateError) return error.errors.some(isForbidden);
  return error instanceof Error && error.cause !== undefined && isForbidden(error.cause);
}
