/**
 * Markdown that models and people wrote. No HTML is made of it: each part becomes an element of the page, and HTML in it is shown as it was written. No picture
 * is loaded; links say where they lead.
 */
import type { MarkedToken, Token, Tokens } from 'marked';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { S } from '../words/strings.ts';
import { CodeBlock } from './code-block.tsx';
import { beginning } from './long-text.ts';
import { type Block, proseReader, saysTarget, targetOf, withoutReferences } from './prose-blocks.ts';
import { useFrame } from './use-frame.ts';
import { VisibleText } from './visible-text.tsx';
import './prose.css';

interface ProseProps {
  readonly text: string;
  /** An end of line is one, as people write; default false. */
  readonly breaks?: boolean;
}

/** Of a longer text, the rest is shown when somebody asks. */
const MOST = 100_000;
const STEP = 100_000;
/** Deeper parts are shown as they were written. */
const MOST_DEPTH = 24;

export function Prose({ text, breaks = false }: ProseProps) {
  const [most, setMost] = useState(MOST);
  const reader = useRef<ReturnType<typeof proseReader>>(undefined);
  reader.current ??= proseReader({ breaks });
  const now = useFrame(text);
  const head = beginning(now, most);
  const blocks = reader.current(head);
  return (
    <div class="prose">
      {blocks === null ? <VisibleText text={head} kind="text" lines most={most} /> : blocks.map(shownBlock)}
      {head.length < now.length && (
        <button type="button" class="more" onClick={() => setMost(most + STEP)}>
          {S.visible.more(now.length - head.length)}
        </button>
      )}
    </div>
  );
}

/** Preact leaves alone what it is given again: a block that has not changed costs nothing. */
const shownBlocks = new WeakMap<Block, VNode>();

function shownBlock(block: Block): VNode {
  const before = shownBlocks.get(block);
  if (before !== undefined) return before;
  const shown = <Part key={block.at} token={block.token} depth={0} />;
  shownBlocks.set(block, shown);
  return shown;
}

interface PartProps {
  readonly token: Token;
  readonly depth: number;
}

function Parts({ of: tokens, depth }: { readonly of: readonly Token[] | undefined; readonly depth: number }) {
  return (
    <>
      {tokens?.map((token, at) => (
        <Part key={at} token={token} depth={depth + 1} />
      ))}
    </>
  );
}

function Part({ token: given, depth }: PartProps) {
  const token = given as MarkedToken;
  if (depth > MOST_DEPTH) return <Words text={token.raw} />;
  const inside = <Parts of={'tokens' in token ? token.tokens : undefined} depth={depth} />;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p dir="auto">{inside}</p>;
    case 'heading':
      return <Heading depth={token.depth}>{inside}</Heading>;
    case 'blockquote':
      return <blockquote>{inside}</blockquote>;
    case 'code':
      return <CodeBlock text={token.text} language={token.lang ?? ''} />;
    case 'hr':
      return <hr />;
    case 'list':
      return <List list={token} depth={depth} />;
    case 'table':
      return <Table table={token} depth={depth} />;
    case 'strong':
      return <strong>{inside}</strong>;
    case 'em':
      return <em>{inside}</em>;
    case 'del':
      return <del>{inside}</del>;
    case 'codespan':
      return (
        <code>
          <VisibleText text={token.text} />
        </code>
      );
    case 'br':
      return <br />;
    case 'checkbox':
      return <span>{token.checked ? '☑ ' : '☐ '}</span>;
    case 'link':
      return <Link href={token.href} text={token.text} inside={inside} />;
    case 'image':
      return <Link href={token.href} text={null} inside={<Words text={S.visible.image(token.text)} />} />;
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw.trim()) ? <br /> : <Words text={token.raw} />;
    case 'text':
      return 'tokens' in token && token.tokens !== undefined ? inside : <Words text={withoutReferences(token.text)} />;
    case 'escape':
      return <Words text={token.text} />;
    default:
      // Parts of a list or table, which those show.
      return null;
  }
}

function Words({ text }: { readonly text: string }) {
  // An end of line within a paragraph is a space.
  return <VisibleText text={text.replaceAll('\n', ' ')} kind="text" most={Number.POSITIVE_INFINITY} />;
}

function Heading({ depth, children }: { readonly depth: number; readonly children: VNode }) {
  // One level: that of the text in the page is not known here, and no level may be left out.
  return (
    <h3 dir="auto" class={`prose-heading-${Math.min(depth, 3)}`}>
      {children}
    </h3>
  );
}

function List({ list, depth }: { readonly list: Tokens.List; readonly depth: number }) {
  const items = list.items.map((item, at) => (
    <li key={at} dir="auto">
      <Parts of={item.tokens} depth={depth} />
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start)}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table, depth }: { readonly table: Tokens.Table; readonly depth: number }) {
  const cell = ({ tokens, align }: Tokens.TableCell, at: number, Tag: 'th' | 'td') => (
    <Tag key={at} dir="auto" class={align === 'right' ? 'number' : undefined}>
      <Parts of={tokens} depth={depth} />
    </Tag>
  );
  return (
    <div class="prose-table" tabIndex={0} role="group" aria-label={S.visible.table}>
      <table>
        <thead>
          <tr>{table.header.map((each, at) => cell(each, at, 'th'))}</tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>{row.map((each, column) => cell(each, column, 'td'))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface LinkProps {
  readonly href: string;
  /** Null: it does not say where it leads. */
  readonly text: string | null;
  readonly inside: VNode;
}

function Link({ href, text, inside }: LinkProps) {
  const address = withoutReferences(href);
  const target = targetOf(address);
  const plain = text !== null && target !== null && saysTarget(text, target);
  return (
    <>
      {target === null ? (
        inside
      ) : (
        <a href={target.href} title={target.href} target="_blank" rel="noopener noreferrer nofollow">
          <bdi>{inside}</bdi>
        </a>
      )}
      {!plain && (
        <span class="prose-target">
          {' '}
          (<VisibleText text={target?.shown ?? address} most={200} />)
        </span>
      )}
    </>
  );
}
