/** Runs of any kind, as fast-check generates them. */
import {
  type Arbitrary,
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  option,
  record,
  string,
} from 'fast-check';
import type { MessageKind } from '../../../src/core/work/words.ts';
import type { LedgerType } from '../../../src/core/work/work.ts';

/** A call: a ledger entry, or a lookup whose output has about this many bytes. */
export interface CallSpec {
  readonly write: LedgerType | null;
  readonly text: string;
  readonly bytes: number;
  readonly isError: boolean;
  /** It opens a child that stays open. */
  readonly opens: boolean;
}

/** One answer, its calls, and what is said after it. */
export interface TurnSpec {
  readonly shape: 'calls' | 'paused' | 'empty' | 'cut';
  readonly text: string;
  readonly thinks: boolean;
  readonly calls: readonly CallSpec[];
  readonly message: { readonly kind: MessageKind; readonly text: string } | null;
  /** The provider's count in relation to our estimate; null: it did not count. */
  readonly miscount: number | null;
}

/** The settings of a run and its turns. */
export interface RunSpec {
  readonly window: number;
  readonly stubs: boolean;
  readonly nudgeInterval: number;
  readonly thinks: boolean;
  readonly keepRecent: number;
  readonly narrates: boolean;
  readonly turns: readonly TurnSpec[];
}

// Without line breaks: a stub indents the lines of an entry (fence.test.ts), so that a text with several is not found as it was.
const words = string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replaceAll(/[\n\r\u2028\u2029]/g, ' '));

const call: Arbitrary<CallSpec> = record({
  write: oneof(
    { weight: 3, arbitrary: constant(null) },
    { weight: 2, arbitrary: constantFrom<LedgerType[]>('plan', 'finding', 'decision', 'error', 'note') },
    { weight: 1, arbitrary: constant<LedgerType>('step') },
  ),
  text: words,
  bytes: oneof(
    { weight: 5, arbitrary: integer({ min: 0, max: 3000 }) },
    { weight: 2, arbitrary: integer({ min: 10_000, max: 90_000 }) },
  ),
  isError: boolean(),
  opens: integer({ min: 0, max: 9 }).map((n) => n === 0),
});

const turn: Arbitrary<TurnSpec> = record({
  shape: oneof(
    { weight: 12, arbitrary: constant('calls' as const) },
    { weight: 1, arbitrary: constantFrom('paused' as const, 'empty' as const, 'cut' as const) },
  ),
  text: words,
  thinks: boolean(),
  calls: array(call, { minLength: 1, maxLength: 7 }),
  message: option(record({ kind: constantFrom<MessageKind[]>('operator', 'skill', 'notice', 'hook'), text: words }), {
    freq: 6,
  }),
  miscount: option(integer({ min: -500, max: 3000 })),
});

/** Any run of 5 to 16 turns. */
export const run: Arbitrary<RunSpec> = record({
  window: constantFrom(12_000, 16_000, 32_000, 200_000),
  stubs: integer({ min: 0, max: 5 }).map((n) => n > 0),
  nudgeInterval: integer({ min: 0, max: 4 }),
  thinks: boolean(),
  keepRecent: integer({ min: 0, max: 12 }),
  narrates: boolean(),
  turns: array(turn, { minLength: 5, maxLength: 16, size: 'max' }),
});
