/** Text that models, tools or strangers wrote, where somebody acts on it: nothing in it is hidden, disguised or reordered, and it is never longer than a page. */
import { useState } from 'preact/hooks';
import { S } from '../words/strings.ts';
import { beginning } from './long-text.ts';
import { type Piece, type TextKind, visiblePieces } from './visible-pieces.ts';
import './visible.css';

interface VisibleTextProps {
  readonly text: string;
  /** Default `code`. */
  readonly kind?: TextKind | undefined;
  /** In its lines, each as long as the page is wide; default: all in one line, with line ends as marks. */
  readonly lines?: boolean | undefined;
  /** How many characters are shown, until the person asks for more; default 4,000. */
  readonly most?: number | undefined;
}

const MOST = 4000;
/** At most so many more with each click. */
const STEP = 100_000;

export function VisibleText({ text, kind = 'code', lines = false, most = MOST }: VisibleTextProps) {
  const [extra, setExtra] = useState(0);
  const head = beginning(text, most + extra);
  const left = text.length - head.length;
  const Tag = lines ? 'div' : 'span';
  return (
    <Tag class={`visible visible-${kind === 'text' ? 'text' : 'code'}${lines ? ' visible-lines' : ''}`}>
      {visiblePieces(head, kind).map((piece, at) => (
        <ShownPiece key={at} piece={piece} lines={lines} />
      ))}
      {left > 0 && (
        <button type="button" class="more" onClick={() => setExtra(extra + STEP)}>
          {S.visible.more(left)}
        </button>
      )}
    </Tag>
  );
}

function ShownPiece({ piece, lines }: { readonly piece: Piece; readonly lines: boolean }) {
  if (typeof piece !== 'string') {
    return (
      <mark class={`odd odd-${piece.is}`} title={piece.name}>
        {piece.shown}
      </mark>
    );
  }
  if (lines || !piece.includes('\n')) return <>{piece}</>;
  return (
    <>
      {piece.split('\n').map((line, at) => (
        <>
          {at > 0 && (
            <mark class="odd odd-end" title={S.visible.lineEnd}>
              ⏎
            </mark>
          )}
          {line}
        </>
      ))}
    </>
  );
}
