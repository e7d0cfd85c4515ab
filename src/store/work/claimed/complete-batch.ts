/** Ends many items as completed. */
import type { Queryable } from '../../sql/database.ts';
import { toJsonb, toText } from '../../sql/json.ts';
import { readValues } from '../../sql/read-value.ts';
import type { Claimed } from '../work.ts';

/** An item that is done, with the token that proves the claim. */
export interface CompletedWork extends Claimed {
  readonly outcome: Readonly<Record<string, unknown>>;
  readonly summary: string | null;
  /** Why messages to the item cannot be read any more; if it is missing, they are delivered first. */
  readonly unread?: string;
  /** The answer that ends it, where it is recorded with the end. */
  readonly last?: LastAnswer;
}

/** An answer without calls that is not recorded yet. */
export interface LastAnswer {
  readonly focusId: string;
  /** Begun, and not recorded. */
  readonly turn: number;
  /** As `answerJson` returns it. */
  readonly answer: string;
}

/**
 * The result of an end. `lost`: the lease is lost, and nothing was written. `locked`: another transaction keeps the row locked; not
 * written yet. `mail`: somebody had said something: it was delivered to the focus, and the item is queued again. `unrecorded`: nothing was written, because
 * this is not the usual end with an answer: the row is locked, messages or others wait, or the server has lost the beginning of the turn. Record the answer
 * by itself, and complete the item without it.
 */
export type Completion = 'completed' | 'lost' | 'locked' | 'mail' | 'unrecorded';

/**
 * Completes many items in one statement; returns the result of each, in their order. A lost or locked one does not delay the others.
 * Idempotent for the same tokens.
 */
export async function completeBatch(db: Queryable, ended: readonly CompletedWork[]): Promise<Completion[]> {
  return readValues<Completion>(
    db,
    `select result from animus.complete_batch($1::uuid[], $2::bigint[], $3::jsonb[], $4::text[], $5::text[], $6::uuid[], $7::int[], $8::json[])`,
    [
      ended.map((work) => work.id),
      ended.map((work) => work.leaseToken),
      ended.map((work) => toJsonb(work.outcome)),
      ended.map((work) => toText(work.summary)),
      ended.map((work) => work.unread ?? null),
      ...lastAnswers(ended),
    ],
  );
}

function lastAnswers(ended: readonly CompletedWork[]): readonly (readonly unknown[] | null)[] {
  const last = ended.map((work) => work.last);
  if (last.every((one) => one === undefined)) return [null, null, null];
  return [
    last.map((one) => one?.focusId ?? null),
    last.map((one) => one?.turn ?? null),
    last.map((one) => one?.answer ?? null),
  ];
}
