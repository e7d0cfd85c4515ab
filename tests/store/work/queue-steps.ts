/** Random histories: calls of the queue's functions. */
import { type Arbitrary, array, constantFrom, nat, record } from 'fast-check';
import { LEASE_SECONDS } from './queue-driver.ts';

/** One call by one connection; numbers select among the items and claims that exist then. */
export interface Step {
  readonly act:
    | 'insert'
    | 'child'
    | 'claim'
    | 'start'
    | 'complete'
    | 'batch'
    | 'fail'
    | 'release'
    | 'extend'
    | 'cancel'
    | 'endCancelled'
    | 'retry'
    | 'ledger'
    | 'ask'
    | 'park'
    | 'resolve'
    | 'due'
    | 'mail'
    | 'drain'
    | 'prune';
  readonly pick: number;
  readonly faculty: 'resolved' | 'claimed' | 'single';
  readonly key: string | null;
  readonly concurrencyKey: string | null;
  readonly delay: 0 | 30 | null;
}

const step: Arbitrary<Step> = record({
  act: constantFrom<Step['act'][]>(
    ...([
      'insert',
      'insert',
      'insert',
      'child',
      'claim',
      'claim',
      'claim',
      'start',
      'complete',
      'complete',
      'batch',
    ] as const),
    ...(['fail', 'fail', 'release', 'extend', 'cancel', 'endCancelled', 'retry', 'retry', 'ledger'] as const),
    ...(['ask', 'ask', 'ask', 'park', 'park', 'park', 'resolve', 'due', 'mail', 'mail', 'drain', 'prune'] as const),
  ),
  pick: nat(1000),
  faculty: constantFrom<Step['faculty'][]>('resolved', 'claimed', 'single'),
  key: constantFrom(null, 'a', 'b'),
  concurrencyKey: constantFrom(null, 'x', 'y'),
  delay: constantFrom<Step['delay'][]>(0, 30, null),
});
/** Steps of a round run in parallel; then the clock advances. */
export const round = record({
  steps: array(step, { minLength: 3, maxLength: 16 }),
  advance: constantFrom(0, 0, 1, 31, LEASE_SECONDS + 1),
});

/** Acts that need no lease. */
export type NotOnLease =
  | 'insert'
  | 'child'
  | 'claim'
  | 'cancel'
  | 'retry'
  | 'resolve'
  | 'due'
  | 'mail'
  | 'drain'
  | 'prune';
