/** Holds the order of a list while the pointer or the focus is in it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { keepOrder, type Steady } from './steady.ts';

interface UsedSteady<Row> extends Steady<Row> {
  /** Of the element that has the rows. */
  readonly hold: {
    onPointerEnter(event: PointerEvent): void;
    onPointerLeave(): void;
    onFocusIn(): void;
    onFocusOut(event: FocusEvent): void;
  };
  /** Shows what waits. */
  release(): void;
}

/** `of`: what the list is of; with another, the rows are shown at once. */
export function useSteady<Row>(newest: readonly Row[], keyOf: (row: Row) => string, of = ''): UsedSteady<Row> {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const [round, setRound] = useState(0);
  const shown = useRef({ rows: newest, of, round });
  const isHeld = (pointed || focused) && shown.current.of === of && shown.current.round === round;
  const steady = isHeld ? keepOrder(shown.current.rows, newest, keyOf) : { rows: newest, pending: 0 };
  useEffect(() => {
    shown.current = { rows: steady.rows, of, round };
  });
  return {
    ...steady,
    release: () => setRound(round + 1),
    hold: {
      onPointerEnter: ({ pointerType }) => setPointed(pointerType === 'mouse'),
      onPointerLeave: () => setPointed(false),
      onFocusIn: () => setFocused(true),
      onFocusOut: ({ currentTarget, relatedTarget }) =>
        setFocused(
          currentTarget instanceof Node && relatedTarget instanceof Node && currentTarget.contains(relatedTarget),
        ),
    },
  };
}
