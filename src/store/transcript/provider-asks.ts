/** What work asks a person that may not go on with its own model: thin calls of the SQL functions (`20_providers.sql`). */
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';
import type { FocusKey } from './focus-row.ts';

/** For the person, and what the focus goes on with if it is approved. */
export interface ProviderQuestion {
  readonly reason: string;
  /** The model that it lost. */
  readonly model: string;
  /** Its provider then and now; null: not known, or none. */
  readonly began: string | null;
  readonly now: string | null;
  /** Set if its provider is the same, and only its price is missing. */
  readonly price?: true;
  /** Settings of the faculty as it is now. */
  readonly present: object;
}

/** An open question. */
export interface ProviderAsk {
  readonly workItemId: string;
  readonly askId: string;
  readonly faculty: string;
  /** With what the focus makes its requests. */
  readonly engage: unknown;
  readonly isPrice: boolean;
}

/**
 * Asks whether the focus may go on with another model; true: exactly this was approved, and the focus has the present settings when it is resumed next.
 * Errors: `work.lease_lost`.
 */
export async function askProvider(db: Queryable, focus: FocusKey, question: ProviderQuestion): Promise<boolean> {
  return readValue<boolean>(db, `select animus.ask_provider($1, $2, $3::json)`, [
    focus.focusId,
    focus.leaseToken,
    toJsonb(question),
  ]);
}

/** The open questions of these faculties, at most 10,000. */
export async function providerAsks(db: Queryable, faculties: readonly string[]): Promise<readonly ProviderAsk[]> {
  return db.query<ProviderAsk>(
    `select work_item_id as "workItemId", ask_id as "askId", faculty, engage, is_price as "isPrice" from animus.provider_asks($1::text[])`,
    [faculties],
  );
}

/** Lets the focus go on as it was; false: it no longer waits for that, or its item is locked. */
export async function endProviderAsk(db: Queryable, { workItemId, askId }: ProviderAsk): Promise<boolean> {
  return readValue<boolean>(db, `select animus.end_provider_ask($1, $2)`, [workItemId, askId]);
}

/** Whether a turn of the focus is in a batch, or has an answer from one that is not recorded. */
export async function isInBatch(db: Queryable, { focusId }: FocusKey): Promise<boolean> {
  return readValue<boolean>(
    db,
    `select exists (select from animus.batch_requests where focus_id = $1 and state in ('sent', 'answered'))`,
    [focusId],
  );
}
