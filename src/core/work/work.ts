/** The states of a work item. `npm run schema` writes `animus.transition_allowed` from them; docs/states.md has the same table, and a test compares. */
import { type Word, wordsOf } from './words.ts';

/** Every state a work item can be in. */
export const WORK_STATES = [
  'scheduled',
  'queued',
  'claimed',
  'running',
  'waiting',
  'completed',
  'dead',
  'merged',
  'cancelled',
] as const;
export type WorkState = (typeof WORK_STATES)[number];

/** The states that a new item may have. */
export const BIRTH_STATES = ['queued', 'scheduled', 'merged'] as const satisfies readonly WorkState[];

/** For each state, the states an item may move to. `claimed → claimed` and `running → claimed` are reclaims of an expired lease. */
export const TRANSITIONS: Readonly<Record<WorkState, readonly WorkState[]>> = {
  scheduled: ['queued', 'cancelled'],
  queued: ['claimed', 'scheduled', 'cancelled'],
  claimed: ['running', 'completed', 'claimed', 'queued', 'scheduled', 'dead', 'cancelled'],
  running: ['completed', 'waiting', 'claimed', 'queued', 'scheduled', 'dead', 'cancelled'],
  waiting: ['queued', 'cancelled'],
  completed: [],
  dead: ['queued'],
  merged: [],
  cancelled: ['queued'],
};

/** Final states; an operator can retry a `dead` or `cancelled` item. */
export const TERMINAL_STATES = ['completed', 'dead', 'merged', 'cancelled'] as const satisfies readonly WorkState[];

/** True for a final state. */
export function isTerminal(state: WorkState): boolean {
  return (TERMINAL_STATES as readonly WorkState[]).includes(state);
}

/** The kinds of ledger entries. */
export const LEDGER_TYPES = wordsOf('work_ledger.entry_type');
export type LedgerType = Word<'work_ledger.entry_type'>;
