/** Reads the blocks of a Markdown page and what its hidden comments say about them. */
import { type Attributes, type PageSettings, parseAttributes, parseSettings } from './directive.ts';

/** A block of code, shown or hidden in a comment. */
export interface Block {
  /** Of its first fence or of the comment, from 1. */
  readonly line: number;
  readonly language: string;
  /** What follows the language: the role of an SQL block. */
  readonly role: string;
  readonly text: string;
  readonly hidden: boolean;
  readonly attributes: Attributes;
}

/** A page, or the part of it from one `docs: page` to the next, which begins in a home of its own. */
export interface Page {
  readonly name: string;
  readonly settings: PageSettings;
  /** The script of its models, if it has some. */
  readonly models: string | null;
  /** In the order of the page. */
  readonly blocks: readonly Block[];
}

interface Piece {
  readonly kind: 'comment' | 'fence';
  readonly line: number;
  /** What follows `docs:` or the fence, on its line. */
  readonly head: string;
  readonly body: string | null;
}

/** Its parts with blocks. Throws an Error with page and line for what it cannot read: an unknown word, a comment without its block, an indented block. */
export function readPage(name: string, text: string): Page[] {
  const parts = [emptyPart(name, '')];
  let [attributes, before]: [Attributes | null, string] = [null, ''];
  for (const piece of piecesOf(name, text)) {
    const { kind, line, head, body } = piece;
    const part = parts.at(-1)!;
    try {
      if (kind === 'fence') {
        part.blocks.push({ ...blockOf(piece, false), attributes: attributes ?? {}, text: before + body });
        [attributes, before] = [null, ''];
        continue;
      }
      if (attributes !== null) throw new Error('two comments about one block');
      const [word = '', rest = ''] = splitWord(head);
      if (body === null && word === 'page') parts.push(emptyPart(`${name}:${line}`, rest));
      else if (body === null) attributes = parseAttributes(head);
      else if (word === 'models') part.models = body;
      else if (word === 'before') before += body;
      else if (word === 'after') part.blocks.push(joined(part.blocks.pop(), body));
      else part.blocks.push({ ...blockOf(piece, true), attributes: parseAttributes(rest) });
    } catch (error) {
      throw new Error(`${name}:${line}: ${(error as Error).message}`, { cause: error });
    }
  }
  if (attributes !== null || before !== '') throw new Error(`${name}: its last comment has no block`);
  return parts.filter(({ blocks }) => blocks.length > 0);
}

function emptyPart(name: string, settings: string) {
  return { name, settings: parseSettings(settings), models: null as string | null, blocks: [] as Block[] };
}

function blockOf({ line, head, body }: Piece, hidden: boolean): Omit<Block, 'attributes'> {
  const [language = '', role = ''] = splitWord(head);
  return { line, language, role: hidden ? '' : role, text: body ?? '', hidden };
}

function joined(block: Block | undefined, more: string): Block {
  if (!block || block.hidden) throw new Error('nothing before it to add it to');
  return { ...block, text: block.text + more };
}

function splitWord(head: string): string[] {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(head.trim())!;
  return [word, rest];
}

/** Comments with `docs:` and fenced blocks, without the indentation of lists. */
function piecesOf(name: string, text: string): Piece[] {
  const pieces: Piece[] = [];
  const lines = text.split('\n');
  let inList = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const [, indent = '', fence, head = ''] = /^(\s*)(```+|<!-- docs: ?)(.*)$/.exec(line) ?? [];
    if (fence === undefined) {
      inList = /^\s*([-*+]|\d+\.)\s/.test(line) || (inList && (line.trim() === '' || /^\s/.test(line)));
      if (/^( {4}|\t)\s*\S/.test(line) && !inList && (lines[at - 1] ?? '').trim() === '')
        throw new Error(`${name}:${at + 1}: an indented block; put it between fences and name its language`);
      continue;
    }
    const isFence = fence.startsWith('`');
    if (!isFence && head.endsWith('-->')) {
      pieces.push({ kind: 'comment', line: at + 1, head: head.slice(0, -3).trim(), body: null });
      continue;
    }
    const from = at + 1;
    const isEnd = (each: string) => each.trim() === (isFence ? fence : '-->');
    while (++at < lines.length && !isEnd(lines[at]!));
    if (at === lines.length) throw new Error(`${name}:${from}: a block without an end`);
    const body = lines.slice(from, at).map((each) => `${each.startsWith(indent) ? each.slice(indent.length) : each}\n`);
    pieces.push({ kind: isFence ? 'fence' : 'comment', line: from, head: head.trim(), body: body.join('') });
  }
  return pieces;
}
