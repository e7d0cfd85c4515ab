/** Keeps the end of a list in sight while it grows, unless the person has scrolled up; near its beginning, reads what comes before. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** So near to the end, one is at it. */
const NEAR_PX = 40;
/** So near to the beginning, older entries are read. */
const EARLY_PX = 2000;

/** `first` names the first entry: what comes before it takes its place. */
export function useEnd(
  list: RefObject<HTMLElement | null>,
  first: string | null,
  readOlder: () => Promise<void>,
  hasOlder: boolean,
) {
  const follows = useRef(true);
  const reads = useRef(false);
  const [isAtEnd, setAtEnd] = useState(true);
  const latest = useRef({ readOlder, hasOlder });
  latest.current = { readOlder, hasOlder };
  useEffect(() => {
    const it = list.current;
    if (it === null) return undefined;
    const scrolled = () => {
      const isNear = it.scrollHeight - it.scrollTop - it.clientHeight < NEAR_PX;
      follows.current = isNear;
      setAtEnd(isNear);
      if (it.scrollTop > EARLY_PX || reads.current || !latest.current.hasOlder) return;
      reads.current = true;
      // What could not be read stays behind its button.
      void latest.current.readOlder().finally(() => (reads.current = false));
    };
    // What is in it grows also without being drawn again: fonts, folds, pictures of other sizes.
    const sizes = new ResizeObserver(() => follows.current && toBottom(it));
    for (const child of it.children) sizes.observe(child);
    const added = new MutationObserver((records) => {
      for (const { addedNodes } of records)
        for (const node of addedNodes) if (node instanceof Element) sizes.observe(node);
    });
    added.observe(it, { childList: true });
    it.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      it.removeEventListener('scroll', scrolled);
      sizes.disconnect();
      added.disconnect();
    };
  }, []);
  const before = useRef({ first, height: 0 });
  useLayoutEffect(() => {
    const it = list.current;
    if (it === null) return;
    if (follows.current) toBottom(it);
    // Browsers keep the place of what is shown when something comes before it, but not at the very beginning.
    else if (before.current.first !== first && it.scrollTop <= 1)
      it.scrollTop += it.scrollHeight - before.current.height;
    before.current = { first, height: it.scrollHeight };
  });
  return {
    isAtEnd,
    toEnd: () => {
      follows.current = true;
      if (list.current !== null) toBottom(list.current);
    },
  };
}

function toBottom(it: HTMLElement): void {
  it.scrollTop = it.scrollHeight;
}
