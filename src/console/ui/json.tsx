/** A value of JSON, of any size: a tree that opens part by part, or its text. */
import { useMemo, useState } from 'preact/hooks';
import { S } from '../words/strings.ts';
import { countOfParts, firstOpen, partsOfValue, pathTo } from './json-view.ts';
import { Text } from './text.tsx';
import { VisibleText } from './visible-text.tsx';
import './json.css';

const MOST_ROWS_AT_FIRST = 60;
/** Of one list: how many are shown at a time. */
const STEP = 100;
const FIRST_CHARS = 1000;

interface JsonProps {
  readonly value: unknown;
  /** What it is, for screen readers. */
  readonly label: string;
}

export function Json({ value, label }: JsonProps) {
  const [asText, setAsText] = useState(false);
  const open = useMemo(() => firstOpen(value, MOST_ROWS_AT_FIRST), [value]);
  const hasParts = (countOfParts(value) ?? 0) > 0;
  return (
    <div class="json" role="group" aria-label={label}>
      {hasParts && (
        <button type="button" class="quiet json-mode" aria-pressed={asText} onClick={() => setAsText(!asText)}>
          {asText ? S.ui.asTree : S.ui.asText}
        </button>
      )}
      {asText ? <Text mono text={JSON.stringify(value, null, 2)} /> : <Value value={value} path="" open={open} />}
    </div>
  );
}

interface ValueProps {
  readonly name?: string;
  readonly value: unknown;
  readonly path: string;
  /** The paths that are open at first. */
  readonly open: ReadonlySet<string>;
}

function Value({ name, value, path, open }: ValueProps) {
  const count = countOfParts(value);
  const [isOpen, setOpen] = useState(open.has(path));
  if (count === null || count === 0) {
    return (
      <div class="json-row">
        <Name of={name} />
        <Plain value={value} />
      </div>
    );
  }
  return (
    <div>
      <button type="button" class="json-row json-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        <Name of={name} />
        <span class="faint">{Array.isArray(value) ? S.ui.entries(count) : S.ui.keys(count)}</span>
      </button>
      {isOpen && <Parts value={value} path={path} open={open} count={count} />}
    </div>
  );
}

function Parts({ value, path, open, count }: Omit<ValueProps, 'name'> & { readonly count: number }) {
  const [most, setMost] = useState(STEP);
  const parts = useMemo(() => partsOfValue(value) ?? [], [value]);
  return (
    <div class="json-parts">
      {parts.slice(0, most).map(([key, part]) => (
        <Value key={key} name={key} value={part} path={pathTo(path, key)} open={open} />
      ))}
      {count > most && (
        <button type="button" class="quiet" onClick={() => setMost(most + 10 * STEP)}>
          {S.ui.moreOf(count - most)}
        </button>
      )}
    </div>
  );
}

function Name({ of: name }: { readonly of: string | undefined }) {
  return name === undefined ? null : (
    <span class="json-name">
      <VisibleText text={name} most={200} />:{' '}
    </span>
  );
}

function Plain({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <Text mono text={value} first={FIRST_CHARS} />;
  return <span class="json-plain">{JSON.stringify(value) ?? 'null'}</span>;
}
