/** The states of a work item. SQL (`animus.transition_allowed`) and docs/states.md have the same table; a test keeps the three equal. */

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
  queued: ['claimed', 'cancelled'],
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

/** The kinds of ledger entries. `step` closes a block of the context. */
export const LEDGER_TYPES = ['plan', 'finding', 'decision', 'step', 'error', 'note'] as const;
export type LedgerType = (typeof LEDGER_TYPES)[number];
