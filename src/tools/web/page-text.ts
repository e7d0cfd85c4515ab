/** What a model reads of a page: the text of HTML, other texts as they are, and nothing of anything else. */
import { extname } from 'node:path';
import { inThread } from '../in-thread.ts';
import type { ToolContext } from '../tool.ts';
import type { NoPage, Page } from './fetch-page.ts';
import { type HtmlText, htmlText } from './html-text.ts';

/** The limit of HTML for the daemon's own thread, in characters: some 50 ms in the worst case. */
const MAX_CHARS = 64 * 1024;
// Beside this file in either form: as TypeScript in a clone, stripped to JavaScript in a package.
const WORKER = new URL(`./html-worker${extname(import.meta.filename)}`, import.meta.url);

const HTML = /^(text\/html|application\/xhtml\+xml)$/;
const TEXT =
  /^(text\/.+|application\/(.+\+)?(json|xml|yaml|toml|javascript|ecmascript|sql|x-ndjson|x-yaml|x-sh|graphql))$/;

/** The text of a page, or why it has none. With `raw`, HTML is left as it is. */
export async function pageText(
  page: Page,
  raw: boolean,
  context: Pick<ToolContext, 'timeoutMs' | 'signal'>,
): Promise<HtmlText | NoPage> {
  const type = essence(page);
  if (!HTML.test(type) && !TEXT.test(type)) {
    return { refusal: `${page.url.href} is ${type}, which is not text` };
  }
  const text = decode(page, type);
  if (raw || !HTML.test(type)) return { title: '', text };
  const base = page.url.href;
  if (text.length <= MAX_CHARS) return htmlText(text, base);
  return inThread<HtmlText>(WORKER, { html: text, base }, context, 'ask for it with raw = true');
}

/** The type without parameters. A page without one is text if it has no NUL byte (as browsers decide). */
function essence({ type, body }: Page): string {
  const written = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (written !== '') return written;
  if (body.subarray(0, 1024).includes(0)) return 'application/octet-stream';
  return /^\s*<(!doctype html|html|head|body)\b/i.test(body.subarray(0, 1024).toString('latin1'))
    ? 'text/html'
    : 'text/plain';
}

/** By byte order mark, then by the header, then by what the page itself says; UTF-8 where none is known. */
function decode({ type, body }: Page, essenceOfType: string): string {
  const head = body.subarray(0, 1024).toString('latin1');
  const named =
    /charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1] ??
    (HTML.test(essenceOfType) ? /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] : undefined);
  const marked =
    body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : body[0] === 0xff && body[1] === 0xfe ? 'utf-16le' : null;
  return decoderOf(marked ?? named ?? 'utf-8').decode(body);
}

function decoderOf(label: string): { decode(bytes: Uint8Array): string } {
  try {
    return new TextDecoder(label);
  } catch {
    // A name that no encoding has: most pages are UTF-8.
    return new TextDecoder();
  }
}
