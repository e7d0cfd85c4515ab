/** One order for the parts of an item's events, the same for every reader and from every position. */
import type { ItemFacts } from './facts.ts';
import { focusPart } from './focus-part.ts';
import { endPart, listParts, submission } from './item-parts.ts';
import type { Entry, Part } from './part.ts';
import { isPast, type Position, type Step } from './position.ts';

/**
 * Always takes the earliest first entry of the parts; at the same time, that of the first part here. What is taken depends on nothing but what
 * is left of the parts, so reading on from a position gives what one read from the beginning would have given after it. A clock
 * that was set back reorders parts against each other, never within a part, and loses nothing. `more`: read on from the position after the last entry at once.
 * `until`: only what that position contains.
 */
export function mergeParts(facts: ItemFacts, position: Position, until: Position | null = null): Part {
  const all = [submission(facts, position), focusPart(facts, position), ...listParts(facts), endPart(facts, position)];
  const parts = until === null ? all : all.map((part) => bounded(part, until));
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

/** What a position contains of a part. The end of a call may be missing in it and later steps not, so only steps that are beyond it for good end the part. */
function bounded({ entries, more }: Part, until: Position): Part {
  const within = entries.filter(({ step }) => isPast(until, step));
  return { entries: within, more: more && !entries.some(({ step }) => isBeyond(until, step)) };
}

function isBeyond(until: Position, step: Step): boolean {
  if (!('focus' in step)) return !isPast(until, step);
  return step.focus > until.focus || (step.focus === until.focus && 'turn' in step && step.turn > until.turn);
}

/** The time by which an entry is merged. */
export function orderOf({ at, last }: Entry): number {
  return last ? Number.POSITIVE_INFINITY : at;
}
