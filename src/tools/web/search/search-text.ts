/** What a model reads of search results: each on lines of its own and bounded, so no text of a page can look like anything else. */
import { harmless } from '../../../core/text/harmless.ts';
import type { RawResult } from './search-api.ts';

/** The text, and how many results are in it. */
export interface SearchText {
  readonly text: string;
  readonly shown: number;
}

const MAX_TITLE = 200;
const MAX_SNIPPET = 600;
const MAX_URL = 2000;
const MAX_DATE = 40;

/** At most `count` results, in the order of the endpoint. Results without an http or https URL, and repeated ones, are left out. */
export function searchText(results: readonly RawResult[], count: number): SearchText {
  const seen = new Set<string>();
  const entries: string[] = [];
  for (const result of results) {
    if (entries.length === count) break;
    const url = webUrl(result.url);
    if (url === null || seen.has(url)) continue;
    seen.add(url);
    entries.push(entryOf(entries.length + 1, url, result));
  }
  return { text: entries.join('\n\n'), shown: entries.length };
}

function entryOf(number: number, url: string, { title, snippet, published }: RawResult): string {
  const date = oneLine(published, MAX_DATE);
  const lines = [
    `${number}. ${oneLine(title, MAX_TITLE) || '(no title)'}`,
    `   ${url}`,
    ...(date === '' ? [] : [`   published: ${date}`]),
    `   ${oneLine(snippet, MAX_SNIPPET) || '(no text)'}`,
  ];
  return lines.join('\n');
}

function webUrl(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_URL) return null;
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.href.length <= MAX_URL ? url.href : null;
}

/** Cut first: an endpoint may send megabytes in one field. */
function oneLine(value: unknown, max: number): string {
  if (typeof value !== 'string') return '';
  const text = harmless(value.slice(0, max * 4).replace(/\s+/g, ' ')).trim();
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
}
