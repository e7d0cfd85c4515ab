/** A text of any length as it stands: its beginning, and all of it when somebody asks. */
import { useMemo, useState } from 'preact/hooks';
import { S } from '../words/strings.ts';
import { beginning, partsOf } from './long-text.ts';
import { VisibleText } from './visible-text.tsx';
import './text.css';

/** What is shown at first. */
const FIRST_CHARS = 6000;
/** What is laid out at once. */
const PART_CHARS = 8000;

interface TextProps {
  readonly text: string;
  /** With letters of one width, as commands print it; default false. */
  readonly mono?: boolean;
  readonly first?: number;
}

export function Text({ text, mono = false, first = FIRST_CHARS }: TextProps) {
  const [all, setAll] = useState(false);
  const parts = useMemo(() => (all ? partsOf(text, PART_CHARS) : [beginning(text, first)]), [text, all, first]);
  return (
    <div class={mono ? 'text mono' : 'text'} dir="auto">
      {parts.map((part, index) => (
        <div key={index} class="text-part">
          <VisibleText text={part} kind={mono ? 'code' : 'text'} lines most={Number.POSITIVE_INFINITY} />
        </div>
      ))}
      {text.length > first && (
        <button type="button" class="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? S.ui.showLess : S.ui.showAll(text.length)}
        </button>
      )}
    </div>
  );
}
