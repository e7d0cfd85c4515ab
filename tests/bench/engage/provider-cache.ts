/** A provider's prompt cache as Anthropic describes it: exact prefixes, written at breakpoints, found by looking back 20 blocks. */
import { createHash } from 'node:crypto';
import { estimateTokens } from '../../../src/core/work/tokens.ts';
import type { Usage } from '../../../src/llm/client.ts';

type Json = Record<string, unknown>;

/** How many blocks the provider looks back from a breakpoint for an entry. */
const LOOK_BACK = 20;

/** Prefixes shorter than this are not cached (Claude Sonnet). */
const MIN_TOKENS = 1024;

export interface CacheAnswer {
  readonly usage: Usage;
  /** Tokens at the beginning that are byte for byte the same as in the previous request. */
  readonly extendsTokens: number;
}

/** A cache that never expires: the runs it is used for send a request every few seconds. */
export function providerCache(): { ask(body: Json): CacheAnswer } {
  const entries = new Set<string>();
  let before: readonly string[] = [];
  return {
    ask(body) {
      const blocks = flatten(body);
      const prefixes = prefixesOf(blocks);
      const marks = blocks.flatMap(({ marked }, index) => (marked ? [index] : []));
      const found = Math.max(-1, ...marks.map((mark) => lookBack(mark, prefixes, entries)));
      const last = marks.at(-1) ?? -1;
      for (const mark of marks) if (prefixes[mark]!.tokens >= MIN_TOKENS) entries.add(prefixes[mark]!.hash);
      const tokensTo = (index: number) => prefixes[index]?.tokens ?? 0;
      const cacheRead = tokensTo(found);
      const texts = blocks.map(({ text }) => text);
      const same = texts.findIndex((text, index) => text !== before[index]);
      before = texts;
      return {
        usage: {
          input: tokensTo(blocks.length - 1),
          output: 0,
          cacheRead,
          cacheWrite: Math.max(0, tokensTo(last) - cacheRead),
          reasoning: 0,
        },
        extendsTokens: tokensTo((same < 0 ? texts.length : same) - 1),
      };
    },
  };
}

interface Prefix {
  readonly hash: string;
  readonly tokens: number;
}

function lookBack(mark: number, prefixes: readonly Prefix[], entries: ReadonlySet<string>): number {
  for (let index = mark; index >= 0 && index > mark - LOOK_BACK; index -= 1) {
    if (entries.has(prefixes[index]!.hash)) return index;
  }
  return -1;
}

function prefixesOf(blocks: readonly { readonly text: string }[]): Prefix[] {
  const hash = createHash('sha256');
  let tokens = 0;
  return blocks.map(({ text }) => {
    hash.update(text).update('\0');
    tokens += estimateTokens(text);
    return { hash: hash.copy().digest('hex'), tokens };
  });
}

/** All blocks of a request in the order in which the provider caches them, with their role, without cache marks. */
function flatten(body: Json): { readonly text: string; readonly marked: boolean }[] {
  const blocks = (list: unknown, under: string) =>
    ((list ?? []) as Json[]).map(({ cache_control, ...block }) => ({
      text: under + JSON.stringify(block),
      marked: cache_control !== undefined,
    }));
  const messages = body['messages'] as { role: string; content: Json[] }[];
  return [
    ...blocks(body['tools'], 'tool'),
    ...blocks(body['system'], 'system'),
    ...messages.flatMap(({ role, content }) => blocks(content, role)),
  ];
}
