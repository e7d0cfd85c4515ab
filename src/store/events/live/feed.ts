/** What one reader of a work item or a conversation, or all readers together, get: the recorded events, and between them the hints. */
import { shownWaiting } from '../../../core/work/waiting.ts';
import { isTerminal } from '../../../core/work/work.ts';
import type { Hint } from '../event.ts';
import type { AnyPage } from '../places.ts';
import { createComingAnswers } from './coming-answers.ts';
import { createComingOutput } from './coming-output.ts';
import type { LivePiece } from './live-pieces.ts';

/** A recorded event with the position after it, or a hint. */
export type FeedEntry = { readonly placed: AnyPage['events'][number] } | { readonly hint: Hint };

export interface Feed {
  /** Where the items are before the first page is taken. */
  begin(items: AnyPage['items']): void;
  /** Takes the next page; what readers get of it, in order. */
  take(page: AnyPage): readonly FeedEntry[];
  /** Takes a piece of an answer, or of what code prints; what readers get of it. `gap`: something before it is missing, and has to be asked for again. */
  piece(workItemId: string, piece: LivePiece): { readonly hints: readonly Hint[]; readonly gap: boolean };
  /** Where each item is now, and the answers and the output that are coming, for a reader that has just read everything recorded. */
  present(): readonly Hint[];
  /** Where each item is now, also those that have ended. */
  readonly states: ReadonlyMap<string, Present>;
}

type Present = Pick<AnyPage['items'][number], 'state' | 'waiting'>;

export function createFeed(): Feed {
  let states: ReadonlyMap<string, Present> = new Map();
  const answers = createComingAnswers();
  const output = createComingOutput();
  /** The items that have not ended: `done` says where the others are. */
  const open = () => new Map([...states].filter(([, { state }]) => !isTerminal(state)));
  const setStates = (items: AnyPage['items']) => {
    states = new Map(items.map(({ id, state, waiting }) => [id, { state, waiting }]));
  };

  return {
    get states() {
      return states;
    },
    begin: setStates,
    take(page) {
      const entries: FeedEntry[] = [];
      for (const placed of page.events) {
        const { event } = placed;
        entries.push(...answers.recorded(event).map((hint) => ({ hint })));
        if (event.type === 'observation') output.end(event.workItemId, event.callId);
        entries.push({ placed });
      }
      const before = states;
      if (!page.more) setStates(page.items);
      const now = open();
      const hints = page.more ? [] : [...answers.keep(now)];
      output.keep(now);
      for (const [id, present] of now) if (!isSame(present, before.get(id))) hints.push(stateHint(id, present));
      return [...entries, ...hints.map((hint) => ({ hint }))];
    },
    piece(id, piece) {
      // What comes late, after the end of its item, is left out: `done` is the last event.
      if (isOver(states.get(id))) return { hints: [], gap: false };
      return 'output' in piece ? { hints: [output.take(id, piece)], gap: false } : answers.take(id, piece);
    },
    present: () => [
      ...[...open()].map(([id, present]) => stateHint(id, present)),
      ...answers.present(),
      ...output.present(),
    ],
  };
}

function isOver(present: Present | undefined): boolean {
  return present !== undefined && isTerminal(present.state);
}

function stateHint(workItemId: string, { state, waiting }: Present): Hint {
  return { type: 'state', live: true, workItemId, state, waiting: waiting && shownWaiting(waiting) };
}

/** A time of a reason may move without anything else, such as that of a provider that is asked again: then nobody is told. */
function isSame(now: Present, before: Present | undefined): boolean {
  return (
    before?.state === now.state &&
    before.waiting?.reason === now.waiting?.reason &&
    before.waiting?.why === now.waiting?.why
  );
}
