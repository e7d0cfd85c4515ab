/** The life of a work item. The same table stands in SQL (`animus.transition_allowed`) and in docs/states.md; a test proves the three equal. */

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

/** States an insert may give birth to. */
export const BIRTH_STATES = ['queued', 'scheduled', 'merged'] as const satisfies readonly WorkState[];

/** From each state, the states an item may move to. `claimed → claimed` and `running → claimed` are reclaims of an expired lease. */
export const TRANSITIONS: Readonly<Record<WorkState, readonly WorkState[]>> = {
  scheduled: ['queued', 'cancelled'],
  queued: ['claimed', 'cancelled'],
  claimed: ['running', 'completed', 'claimed', 'queued', 'scheduled', 'dead', 'cancelled'],
  running: ['completed', 'waiting', 'claimed', 'queued', 'scheduled', 'dead', 'cancelled'],
  waiting: ['queued', 'cancelled'],
  completed: [],
  dead: ['queued'],
  merged: [],
  cancelled: ['queued'],
};

/** Ends of a work item; `dead` and `cancelled` can be left again by an operator's retry. */
export const TERMINAL_STATES = ['completed', 'dead', 'merged', 'cancelled'] as const satisfies readonly WorkState[];

/** True when nothing further happens to the item by itself. */
export function isTerminal(state: WorkState): boolean {
  return (TERMINAL_STATES as readonly WorkState[]).includes(state);
}

/** The kinds of ledger entries. `step` closes a block of the context. */
export const LEDGER_TYPES = ['plan', 'finding', 'decision', 'step', 'error', 'note'] as const;
export type LedgerType = (typeof LEDGER_TYPES)[number];
