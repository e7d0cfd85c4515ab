/** A list of any length: only the rows in sight exist. Arrow keys, Page Up, Page Down, Home and End go along it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { rowsInSight } from './rows-in-sight.ts';
import './virtual-list.css';

interface VirtualListProps {
  /** What it lists, for screen readers. */
  readonly label: string;
  readonly count: number;
  /** Each row is as high. In pixels. */
  readonly rowPx: number;
  /** A row has one thing that can get the focus, such as a link. */
  readonly row: (index: number) => ComponentChildren;
  readonly keyOf: (index: number) => string;
  /** Is brought into sight; −1: none. */
  readonly chosen?: number;
  /** It stays at its end as it grows, if it is there; default false. */
  readonly follows?: boolean;
}

const AROUND = 8;

export function VirtualList({ label, count, rowPx, row, keyOf, chosen = -1, follows = false }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const atEnd = useRef(follows);
  const toFocus = useRef<number | null>(null);
  useEffect(() => {
    const sizes = new ResizeObserver(() => setHeight(box.current?.clientHeight ?? 0));
    sizes.observe(box.current!);
    return () => sizes.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (follows && atEnd.current && chosen < 0 && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [count, follows]);
  useLayoutEffect(() => show(box.current, chosen, rowPx), [chosen, count > 0]);
  useLayoutEffect(() => {
    if (toFocus.current === null) return;
    const wanted = box.current?.querySelector<HTMLElement>(`[data-row="${toFocus.current}"] :is(a, button)`);
    if (!wanted) return;
    toFocus.current = null;
    wanted.focus({ preventScroll: true });
  });
  const { from, to } = rowsInSight({ top, height, rowPx, count, around: AROUND });
  const move = (event: KeyboardEvent) => {
    const at = Number((event.target as HTMLElement).closest('[data-row]')?.getAttribute('data-row') ?? chosen);
    const next = rowAfter(event.key, at, count, Math.max(1, Math.floor(height / rowPx) - 1));
    if (next === null) return;
    event.preventDefault();
    toFocus.current = next;
    show(box.current, next, rowPx);
    setTop(box.current?.scrollTop ?? 0);
  };
  return (
    <div
      ref={box}
      class="virtual"
      style={{ maxHeight: `${count * rowPx + 2}px` }}
      onKeyDown={move}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < rowPx;
        setTop(scrollTop);
      }}
    >
      <ul class="plain" aria-label={label} style={{ height: `${count * rowPx}px` }}>
        {Array.from({ length: to - from }, (_, offset) => from + offset).map((index) => (
          <li
            key={keyOf(index)}
            data-row={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${index * rowPx}px)`, height: `${rowPx}px` }}
          >
            {row(index)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function show(box: HTMLElement | null, index: number, rowPx: number): void {
  if (box === null || index < 0) return;
  const [top, bottom] = [index * rowPx, (index + 1) * rowPx];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

function rowAfter(key: string, at: number, count: number, page: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  const next = steps[key];
  return next === undefined ? null : Math.min(Math.max(next, 0), count - 1);
}
