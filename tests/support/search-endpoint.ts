/** A search endpoint that answers as SearXNG, Brave or Tavily do, strictly, and misbehaves on demand. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { WebSearchKind } from '../../src/core/config/sections/web.ts';

/** A page that is found. */
export interface FoundPage {
  readonly title?: unknown;
  readonly url?: unknown;
  readonly text?: unknown;
  readonly date?: string;
}

/** A request as it arrived. */
export interface SeenSearch {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly question: Readonly<Record<string, string>>;
}

export interface SearchEndpoint {
  readonly url: string;
  readonly seen: readonly SeenSearch[];
  /** What the next requests get instead of results; the last one stays. */
  misbehave(...faults: Fault[]): void;
}

export type Fault = (response: ServerResponse, request: IncomingMessage) => void;

export const KEY = 'test-key-of-the-search-endpoint';

/** Listens until the end of the test. */
export async function searchEndpoint(kind: WebSearchKind, pages: readonly FoundPage[]): Promise<SearchEndpoint> {
  const seen: SeenSearch[] = [];
  let faults: Fault[] = [];
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://endpoint');
      const question = body === '' ? Object.fromEntries(url.searchParams) : JSON.parse(body);
      seen.push({ path: url.pathname, headers: request.headers, question });
      const fault = faults.length > 1 ? faults.shift() : faults[0];
      if (fault) return fault(response, request);
      const { status, value } = answerOf(kind, { request, path: url.pathname, question }, pages);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen, misbehave: (...given) => void (faults = given) };
}

interface Asked {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly question: Readonly<Record<string, unknown>>;
}

function answerOf(kind: WebSearchKind, { request, path, question }: Asked, pages: readonly FoundPage[]) {
  const { method, headers } = request;
  const bad = (error: string) => ({ status: 422, value: { error } });
  if (kind === 'searxng') {
    if (method !== 'GET' || path !== '/search' || question['format'] !== 'json')
      return { status: 403, value: 'Forbidden' };
    return {
      status: 200,
      value: {
        query: question['q'],
        results: pages.map(({ text, date, ...page }) => ({ ...page, content: text, publishedDate: date })),
        infoboxes: [],
      },
    };
  }
  if (kind === 'brave') {
    if (headers['x-subscription-token'] !== KEY)
      return { status: 401, value: { error: { code: 'SUBSCRIPTION_TOKEN_INVALID' } } };
    if (method !== 'GET' || path !== '/res/v1/web/search') return { status: 404, value: {} };
    const count = Number(question['count']);
    if (!(count >= 1 && count <= 20) || String(question['q']).length > 400) return bad('count or q');
    const results = pages
      .slice(0, count)
      .map(({ text, date, ...page }) => ({ ...page, description: text, page_age: date }));
    return { status: 200, value: { type: 'search', ...(results.length > 0 && { web: { type: 'search', results } }) } };
  }
  if (headers.authorization !== `Bearer ${KEY}`)
    return { status: 401, value: { detail: { error: 'Unauthorized: missing or invalid API key.' } } };
  if (method !== 'POST' || path !== '/search' || headers['content-type'] !== 'application/json')
    return { status: 404, value: {} };
  const known = ['query', 'max_results', 'search_depth', 'time_range'];
  if (Object.keys(question).some((name) => !known.includes(name))) return bad('unknown field');
  const results = pages
    .slice(0, Number(question['max_results']))
    .map(({ text, date, ...page }) => ({ ...page, content: text, score: 0.5, published_date: date }));
  return { status: 200, value: { query: question['query'], results, response_time: 0.1 } };
}

async function read(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}
