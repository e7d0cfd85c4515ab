/** HTML as text that a model reads: headings, lists, tables and links as in Markdown, without scripts, menus and styles. */
import { Parser } from 'htmlparser2';
import { wordSet } from '../../core/text/word-set.ts';

/** The text of a page. */
export interface HtmlText {
  /** Of its `title`; empty if there is none. */
  readonly title: string;
  readonly text: string;
}

const SKIPPED = wordSet(
  'title script style noscript template svg math iframe object canvas head nav form select dialog button',
);
const BLOCKS = wordSet(
  'address article aside blockquote body dd details div dl dt fieldset figcaption figure footer header hr main p pre section summary table ul ol',
);
/** What holds the content of a page, where it has it. */
const MAIN = new Set(['main', 'article']);
const HEADING = /^h[1-6]$/;
const MAX_INDENT = 10;
const MAX_TITLE = 1000;
/** A part with less text than this is not the content of the page. */
const MAIN_CHARS = 200;

/** Linear in the text but for closing tags that were never opened, so long texts belong into a thread. */
export function htmlText(html: string, base: string): HtmlText {
  const writer = createWriter(base);
  const parser = new Parser({ onopentag: writer.open, ontext: writer.text, onclosetag: writer.close });
  parser.end(html);
  return writer.result();
}

function createWriter(base: string) {
  const out = createOutput();
  let title = '';
  let inTitle = false;
  let skipping = 0;
  let preformatted = 0;
  let lists = 0;
  /** The link that is open; HTML has no link inside another. */
  let link: { readonly href: string; readonly from: Mark } | null = null;
  const mains: Mark[] = [];
  let content: { readonly from: Mark; readonly to: Mark } | null = null;

  const open = (name: string, attributes: Readonly<Record<string, string>>): void => {
    if (name === 'title' && title === '') inTitle = true;
    if (SKIPPED.has(name)) skipping += 1;
    if (skipping > 0) return;
    out.breakLines(breaksAround(name, lists));
    if (HEADING.test(name)) out.put(`${'#'.repeat(Number(name[1]))} `);
    if (name === 'li') out.put(`${'  '.repeat(Math.min(Math.max(0, lists - 1), MAX_INDENT))}- `);
    if ((name === 'td' || name === 'th') && !out.atLineStart()) out.put(' | ');
    if (name === 'img' && attributes['alt']) out.put(`[image: ${attributes['alt'].trim().slice(0, 300)}]`);
    if (name === 'pre') {
      out.put('```\n');
      preformatted += 1;
    }
    if (isList(name)) lists += 1;
    if (MAIN.has(name)) mains.push(out.mark());
    const href = name === 'a' ? linkOf(attributes['href'], base) : null;
    if (name === 'a') link = href === null ? null : { href, from: out.mark() };
  };

  const text = (value: string): void => {
    if (inTitle && title.length < MAX_TITLE) title += value;
    if (skipping > 0) return;
    if (preformatted > 0) out.put(value);
    else out.words(value.replace(/\s+/g, ' '));
  };

  const close = (name: string): void => {
    if (name === 'title') inTitle = false;
    if (SKIPPED.has(name)) skipping = Math.max(0, skipping - 1);
    if (skipping > 0) return;
    if (name === 'pre' && preformatted > 0) {
      preformatted -= 1;
      out.put(out.atLineStart() ? '```' : '\n```');
    }
    if (name === 'a' && link) {
      const words = out.since(link.from).trim();
      if (words !== '' && words !== link.href) out.put(` (${link.href})`);
      link = null;
    }
    if (isList(name)) lists = Math.max(0, lists - 1);
    if (MAIN.has(name)) keepLonger();
    out.breakLines(name === 'br' ? 0 : breaksAround(name, lists));
  };

  const keepLonger = (): void => {
    const part = { from: mains.pop() ?? START, to: out.mark() };
    const length = ({ from, to }: typeof part) => to.chars - from.chars;
    if (length(part) >= MAIN_CHARS && (content === null || length(part) > length(content))) content = part;
  };

  const result = (): HtmlText => {
    const { from, to } = content ?? { from: START, to: out.mark() };
    return { title: title.replace(/\s+/g, ' ').trim(), text: withoutTrailingSpaces(out.between(from, to)).trim() };
  };
  return { open, text, close, result };
}

function withoutTrailingSpaces(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** How many line breaks stand before and after an element; inside a list there are no empty lines. */
function breaksAround(name: string, lists: number): number {
  if (name === 'br' || name === 'tr' || name === 'li') return 1;
  if (isList(name)) return lists > 0 ? 1 : 2;
  return HEADING.test(name) || BLOCKS.has(name) ? 2 : 0;
}

function isList(name: string): boolean {
  return name === 'ul' || name === 'ol';
}

/** Absolute, for pages of the web; null for places in the page, scripts and mail. */
function linkOf(href: string | undefined, base: string): string | null {
  if (href === undefined || href.startsWith('#')) return null;
  const url = URL.parse(href, base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** A place in the output: pieces and characters before it. */
interface Mark {
  readonly pieces: number;
  readonly chars: number;
}
const START: Mark = { pieces: 0, chars: 0 };

/** Text in pieces: looking at the end of one long string would copy all of it each time. */
function createOutput() {
  const pieces: string[] = [];
  let chars = 0;
  /** The last character; a line break at the start. */
  let last = '\n';
  /** Line breaks that are due before the next text. */
  let due = 0;

  const put = (text: string): void => {
    if (text === '') return;
    const piece = chars === 0 ? text : '\n'.repeat(due) + text;
    due = 0;
    pieces.push(piece);
    chars += piece.length;
    last = piece.at(-1) ?? last;
  };
  return {
    put,
    /** Text in which white space is one space: none at the start of a line, none after another. */
    words: (text: string): void => put(due > 0 || /\s/.test(last) ? text.trimStart() : text),
    /** The next text begins after so many line breaks, at least. */
    breakLines: (count: number): void => void (due = Math.max(due, count)),
    atLineStart: (): boolean => due > 0 || last === '\n',
    mark: (): Mark => ({ pieces: pieces.length, chars }),
    since: ({ pieces: from }: Mark): string => pieces.slice(from).join(''),
    between: (from: Mark, to: Mark): string => pieces.slice(from.pieces, to.pieces).join(''),
  };
}
