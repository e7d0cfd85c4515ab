/** The search APIs that web_search supports: what each is asked, and where its results are. */
import type { WebSearchKind } from '../../../core/config/sections/web.ts';
import { htmlText } from '../html-text.ts';

/** What is looked for. */
export interface SearchQuestion {
  readonly query: string;
  /** 1 to 20. */
  readonly count: number;
  readonly freshness: Freshness | undefined;
}

export const FRESHNESS = ['day', 'week', 'month', 'year'] as const;
export type Freshness = (typeof FRESHNESS)[number];

/** An HTTP request. */
export interface SearchRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A result as the API wrote it; nothing of it is trusted. */
export interface RawResult {
  readonly title: unknown;
  readonly url: unknown;
  readonly snippet: unknown;
  readonly published: unknown;
}

/** One search API. */
export interface SearchApi {
  /** `base` has no slash at its end. */
  request(base: string, key: string | null, question: SearchQuestion): SearchRequest;
  /** The list of results in a response; null if it has none where this API puts them. */
  results(response: unknown): readonly RawResult[] | null;
  /** What the operator can do about a status; empty if nothing special. */
  advice(status: number): string;
}

/** docs.searxng.org/dev/search_api: GET /search, parameters q, format, time_range. It has no parameter for the number of results. */
const searxng: SearchApi = {
  request(base, key, { query, freshness }) {
    const url = new URL(`${base}/search`);
    url.searchParams.set('q', query);
    url.searchParams.set('format', 'json');
    if (freshness) url.searchParams.set('time_range', freshness);
    // SearXNG itself has no keys; a proxy in front of it may ask for one.
    return { method: 'GET', url, headers: key === null ? {} : { authorization: `Bearer ${key}` }, body: null };
  },
  results: (response) => rows(field(response, 'results'), { snippet: 'content', published: 'publishedDate' }),
  advice: (status) => (status === 403 ? 'list json in search.formats of its settings.yml' : ''),
};

const BRAVE_FRESHNESS: Readonly<Record<Freshness, string>> = { day: 'pd', week: 'pw', month: 'pm', year: 'py' };

/** api-dashboard.search.brave.com, «Web search»: GET /res/v1/web/search, header X-Subscription-Token; count is at most 20. */
const brave: SearchApi = {
  request(base, key, { query, count, freshness }) {
    const url = new URL(`${base}/res/v1/web/search`);
    url.searchParams.set('q', query);
    url.searchParams.set('count', String(count));
    url.searchParams.set('text_decorations', 'false');
    url.searchParams.set('result_filter', 'web');
    if (freshness) url.searchParams.set('freshness', BRAVE_FRESHNESS[freshness]);
    return { method: 'GET', url, headers: key === null ? {} : { 'x-subscription-token': key }, body: null };
  },
  // Titles and descriptions are HTML. Without a result, `web` is left out.
  results: (response) =>
    field(response, 'type') === 'search' && field(response, 'web') === undefined
      ? []
      : rows(field(field(response, 'web'), 'results'), { snippet: 'description', published: 'page_age' }, plain),
  advice: () => '',
};

/** docs.tavily.com/api-reference/endpoint/search: POST /search with a bearer token. A basic search costs one credit. */
const tavily: SearchApi = {
  request(base, key, { query, count, freshness }) {
    const body = { query, max_results: count, search_depth: 'basic', ...(freshness && { time_range: freshness }) };
    return {
      method: 'POST',
      url: new URL(`${base}/search`),
      headers: { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify(body),
    };
  },
  results: (response) => rows(field(response, 'results'), { snippet: 'content', published: 'published_date' }),
  advice: (status) => (status === 432 || status === 433 ? 'the plan of this key is used up' : ''),
};

/** By the word of `web.search.kind`. */
export const SEARCH_APIS: Readonly<Record<WebSearchKind, SearchApi>> = { searxng, brave, tavily };

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** The results of a list, by the names that the API has for what is not named alike everywhere. `written`: how it writes texts. */
function rows(
  list: unknown,
  names: { readonly snippet: string; readonly published: string },
  written = (text: unknown) => text,
): readonly RawResult[] | null {
  if (!Array.isArray(list)) return null;
  return list
    .filter((row) => typeof row === 'object' && row !== null)
    .map(({ title, url, [names.snippet]: snippet, [names.published]: published }) => {
      return { title: written(title), url, snippet: written(snippet), published };
    });
}

/** More than a snippet has. */
const MAX_HTML = 10_000;

function plain(html: unknown): unknown {
  return typeof html === 'string' ? htmlText(html.slice(0, MAX_HTML), '').text : html;
}
