/** The feed of one item for a terminal, where nothing can be put in front of what was printed: pieces of an answer come after what was recorded before them. */
import { createFeed, type FeedEntry } from '../../store/events/live/feed.ts';
import type { LivePiece } from '../../store/events/live/live-pieces.ts';
import type { AnyPage } from '../../store/events/places.ts';

export function createOrderedFeed(workItemId: string) {
  const feed = createFeed();
  /** The answer whose pieces are taken as they come. */
  let coming: { readonly focus: number; readonly turn: number } | null = null;
  let held: readonly LivePiece[] = [];
  let gap = false;

  function goesOn(piece: LivePiece): boolean {
    if ('output' in piece) return true;
    const isComing = coming?.focus === piece.focus && coming.turn === piece.turn;
    return held.length === 0 && isComing && (piece.from > 0 || piece.earlier === true);
  }

  function give(piece: LivePiece): FeedEntry[] {
    const told = feed.piece(workItemId, piece);
    if (!('output' in piece)) [coming, gap] = [piece, told.gap];
    return told.hints.map((hint) => ({ hint }));
  }

  return {
    /** How many pieces are held: the tables have to be read. */
    get held(): number {
      return held.length;
    },
    /** True: something before the newest piece is missing, and has to be asked for again. */
    get gap(): boolean {
      return gap;
    },
    /** Takes the next page. */
    take(page: AnyPage): readonly FeedEntry[] {
      if (page.events.some(({ event }) => ENDS_ANSWERS.has(event.type))) coming = null;
      return feed.take(page);
    },
    /** Takes a piece. The first of an answer, or of another attempt at it, is held with all that follow. */
    piece(piece: LivePiece): readonly FeedEntry[] {
      if (goesOn(piece)) return give(piece);
      held = [...held, piece];
      return [];
    },
    /** Everything was taken that was recorded when so many pieces were held. */
    release(count: number): readonly FeedEntry[] {
      const due = held.slice(0, count);
      held = held.slice(count);
      return due.flatMap(give);
    },
  };
}

const ENDS_ANSWERS: ReadonlySet<string> = new Set(['turn', 'state', 'error', 'done']);
