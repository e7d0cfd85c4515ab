/** Reads Markdown. A text that grows is read again from its last block on, so a long answer costs what is new of it. */
import { Lexer, type Links, type Token, type TokensList } from 'marked';

export interface Block {
  /** Where it begins in the text. */
  readonly at: number;
  readonly token: Token;
}

/** What is longer is no prose. */
const MOST_CHARS = 200_000;
/** A paragraph that is longer is shown as it stands: finding pairs of marks takes more than linear time. */
const MOST_INLINE_CHARS = 10_000;
/** Quotes and lists in each other, in one line: each of them is read again for each that it is in. */
const DEEP_LINE = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){20}/m;
/** The same over several lines. */
const DEEP_INDENT = /^[ \t]{60,}(?:[-*+>]|\d{1,9}[.)])[ \t]/m;

export interface ProseOptions {
  /** An end of line is one, as people write; default false: as Markdown has it. */
  readonly breaks?: boolean | undefined;
}

/** Null: it is shown as it stands. */
export type ProseReader = (text: string) => readonly Block[] | null;

export function proseReader({ breaks = false }: ProseOptions = {}): ProseReader {
  let last = '';
  let blocks: readonly Block[] = [];
  return (given) => {
    const text = given.replace(/\r\n?/g, '\n');
    if (text === last) return blocks;
    if (text.length > MOST_CHARS || DEEP_LINE.test(text) || DEEP_INDENT.test(text)) return null;
    const kept = text.startsWith(last) ? closedBlocks(blocks) : [];
    const from = kept.length === 0 ? 0 : blocks[kept.length]!.at;
    blocks = [...kept, ...readBlocks(text.slice(from), from, linksOf(kept), breaks)];
    last = text;
    return blocks;
  };
}

/** Those that cannot change any more: all before the last one that is more than space. */
function closedBlocks(blocks: readonly Block[]): readonly Block[] {
  const open = blocks.findLastIndex(({ token }) => token.type !== 'space');
  return open < 0 ? [] : blocks.slice(0, open);
}

/** The definitions that links refer to. */
function linksOf(blocks: readonly Block[]): Links {
  const links: Links = {};
  for (const { token } of blocks) {
    if (token.type === 'def') links[String(token['tag'])] ??= { href: String(token['href']), title: token['title'] };
  }
  return links;
}

function readBlocks(text: string, from: number, links: Links, breaks: boolean): readonly Block[] {
  const lexer = new Lexer({ gfm: true, breaks });
  const tokens: TokensList = Object.assign([], { links });
  lexer.tokens = tokens;
  lexer.blockTokens(text, tokens);
  for (const { src, tokens: inside } of lexer.inlineQueue) {
    if (src.length <= MOST_INLINE_CHARS) lexer.inlineTokens(src, inside);
    else inside.push({ type: 'text', raw: src, text: src });
  }
  let at = from;
  return tokens.map((token) => {
    const block = { at, token };
    at += token.raw.length;
    return block;
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** Character references, which Markdown has from HTML. */
export function withoutReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
  });
}

/** `href` opens it; `shown`: where it leads, for people. */
export interface Target {
  readonly href: string;
  readonly shown: string;
}

/** Where a link leads; null: to nothing that is opened from here. Addresses of the console itself (`own`) are none: a model does not navigate it. */
export function targetOf(href: string, own = ownOrigin()): Target | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  if (url.origin === own) return null;
  if (url.protocol === 'http:' || url.protocol === 'https:') return { href: url.href, shown: url.host };
  if (url.protocol === 'mailto:') return { href: url.href, shown: url.pathname };
  return null;
}

function ownOrigin(): string | null {
  return typeof location === 'undefined' ? null : location.origin;
}

/** Whether the text of a link is the address that it opens, letter by letter: not one that looks like it, nor one with a name before an `@`. */
export function saysTarget(text: string, { href }: Target): boolean {
  return !href.includes('@') && (text === href || `${text}/` === href);
}
