/** Embeddings that no focus asks for: whose turn it is to make them, and what they may cost (functions/memory/embeddings.sql). */
import type { Queryable } from '../sql/database.ts';
import { toJsonb, toText } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';

/** What a request may cost at most; `usd` is null without a price. */
export interface EmbeddingCost {
  readonly usd: number | null;
  readonly tokens: number;
}

/** What is held for a request, as the database wrote it. */
export type HeldCost = unknown;

export type EmbeddingPermit =
  | { readonly permit: 'go'; readonly held: HeldCost }
  /** Another daemon makes them, or a failure is not long enough ago. */
  | { readonly permit: 'busy' | 'resting'; readonly seconds: number }
  /** A limit for all work would be exceeded. */
  | { readonly permit: 'budget'; readonly message: string }
  /** By an operator; or only turns under way are in the way. */
  | { readonly permit: 'paused' | 'budget_busy' };

/** What a request has cost; 0 tokens: nothing. */
export interface PaidEmbedding {
  readonly provider: string;
  readonly model: string;
  readonly tokens: number;
  readonly costUsd: number | null;
  /** True: the provider did not count the tokens. Default false. */
  readonly estimated?: boolean;
  /** True: the request may have cost that, and returned nothing. Default false. */
  readonly lost?: boolean;
}

/** The daemon and the model, `provider/model`. */
export interface EmbeddingTurn {
  readonly daemonId: string;
  readonly model: string;
}

/** Begins a request of this daemon, the only one that sends any with the model for so many seconds; holds what it may cost. */
export async function beginEmbedding(
  db: Queryable,
  { daemonId, model }: EmbeddingTurn,
  seconds: number,
  { usd, tokens }: EmbeddingCost,
): Promise<EmbeddingPermit> {
  const begin = `select animus.begin_embedding($1, $2, $3 * interval '1 second', $4, $5)`;
  return readValue<EmbeddingPermit>(db, begin, [daemonId, toText(model), seconds, usd, tokens]);
}

/** Extends its time while a request is under way; false: another daemon has taken over. */
export async function extendEmbedding(
  db: Queryable,
  { daemonId, model }: EmbeddingTurn,
  seconds: number,
): Promise<boolean> {
  const extend = `select animus.extend_embedding($1, $2, $3 * interval '1 second')`;
  return readValue<boolean>(db, extend, [daemonId, toText(model), seconds]);
}

/**
 * Ends a request. After a failure no daemon asks the model for at least `delayMs`, and longer after each further one. Returns for how many
 * seconds; null: not at all.
 */
export async function endEmbedding(
  db: Queryable,
  { daemonId, model }: EmbeddingTurn,
  held: HeldCost,
  paid: PaidEmbedding,
  failed: { readonly problem: string; readonly delayMs: number } | null = null,
): Promise<number | null> {
  return readValue<number | null>(
    db,
    `select animus.end_embedding($1, $2, $3::json, $4::json, $5, $6 * interval '1 millisecond')`,
    [daemonId, toText(model), toJsonb(held), paidJson(paid), toText(failed?.problem), failed?.delayMs ?? 0],
  );
}

/** Lets another daemon go on at once. */
export async function leaveEmbedding(db: Queryable, { daemonId, model }: EmbeddingTurn): Promise<void> {
  await db.query('select animus.leave_embedding($1, $2)', [daemonId, toText(model)]);
}

/** Charges the embedding of a search by a command. Errors: `db.forbidden` for logins that are not operators. */
export async function chargeEmbedding(db: Queryable, paid: PaidEmbedding): Promise<void> {
  await db.query('select animus.charge_embedding($1::json)', [paidJson(paid)]);
}

/** Why a search of a person gets no embedding at the moment: a pause of everything, or a limit for all work; null: it may be asked for. */
export async function searchRefusal(db: Queryable, { usd, tokens }: EmbeddingCost): Promise<string | null> {
  return readValue<string | null>(db, 'select animus.search_refusal($1, $2)', [usd, tokens]);
}

/** Charges the embedding of a search that a gateway has made for a person. */
export async function chargeSearch(db: Queryable, paid: PaidEmbedding): Promise<void> {
  await db.query('select animus.charge_search($1::json)', [paidJson(paid)]);
}

function paidJson({ costUsd, ...paid }: PaidEmbedding): string {
  return toJsonb({ ...paid, cost_usd: costUsd });
}
