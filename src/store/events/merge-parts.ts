/** One order for the parts of an item's events, the same for every reader and from every position. */
import type { ItemFacts } from './facts.ts';
import { focusPart } from './focus-part.ts';
import { decisionPart, endPart, ledgerPart, markPart, messagePart, submission } from './item-parts.ts';
import type { Entry } from './part.ts';
import type { Position } from './position.ts';

/** The entries after the position, and whether there may be more at once: then read on from the position after the last one. */
export interface Merged {
  readonly entries: readonly Entry[];
  readonly more: boolean;
}

/**
 * Always takes the earliest first entry of the parts; at the same time, that of the first part here. What is taken depends on nothing but what
 * is left of the parts, so reading on from a position gives what one read from the beginning would have given after it. A clock
 * that was set back reorders parts against each other, never within a part, and loses nothing.
 */
export function mergeParts(facts: ItemFacts, position: Position): Merged {
  const parts = [
    submission(facts, position),
    focusPart(facts, position),
    ledgerPart(facts),
    messagePart(facts),
    decisionPart(facts),
    markPart(facts),
    endPart(facts, position),
  ];
  const next = parts.map(() => 0);
  const entries: Entry[] = [];
  for (;;) {
    let first = -1;
    for (const [n, part] of parts.entries()) {
      const entry = part.entries[next[n]!];
      if (entry === undefined) {
        // Its next entry may be the earliest.
        if (part.more) return { entries, more: entries.length > 0 };
      } else if (first < 0 || orderOf(entry) < orderOf(parts[first]!.entries[next[first]!]!)) first = n;
    }
    if (first < 0) return { entries, more: false };
    entries.push(parts[first]!.entries[next[first]!++]!);
  }
}

function orderOf({ at, last }: Entry): number {
  return last ? Number.POSITIVE_INFINITY : at;
}
