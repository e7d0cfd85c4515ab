/** Findings of all work, and proposals of skills from those that recur (30_findings.sql). */
import type { Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';

/** The faculty that writes skills; its own findings do not count. */
export const SCRIBE = 'scribe';

/** A finding in a ledger. */
export interface Finding {
  readonly workItemId: string;
  readonly seq: number;
  /** Microseconds since 1970. */
  readonly foundUs: number;
  /** The first 4,000 characters; null: it does not count. */
  readonly content: string | null;
}

/** What came of a proposal: see `animus.propose_skill`. */
export interface SkillProposal {
  readonly result: 'proposed' | 'covered' | 'open' | 'full' | 'lost';
  /** The scribe's work item, if one was submitted. */
  readonly id?: string;
  /** How many items have such a finding, and how many of these were known before; without a meaning for `lost`. */
  readonly items: number;
  readonly known: number;
}

/**
 * Makes the daemon the one that looks for recurring findings, for so many seconds. Returns the time in microseconds since 1970; null: another
 * one does it. Idempotent.
 */
export async function watchFindings(db: Queryable, daemonId: string, seconds: number): Promise<number | null> {
  return readValue<number | null>(db, `select animus.watch_findings($1, $2 * interval '1 second')`, [
    daemonId,
    seconds,
  ]);
}

/** Lets another daemon look for them at once. */
export async function leaveFindings(db: Queryable, daemonId: string): Promise<void> {
  await db.query('select animus.leave_findings($1)', [daemonId]);
}

/** Findings since a time, newest first, those after `before` in this order; at most `limit`. */
export async function recentFindings(
  db: Queryable,
  sinceUs: number,
  limit: number,
  before: Finding | null = null,
): Promise<Finding[]> {
  return db.query<Finding>(
    `select work_item_id as "workItemId", seq, found_us as "foundUs", content from animus.recent_findings($1, $2, $3, $4, $5, $6)`,
    [sinceUs, SCRIBE, limit, before?.foundUs ?? null, before?.workItemId ?? null, before?.seq ?? null],
  );
}

/** Findings of packed work, of at most `limit` items with lower ids than `before`, newest items first. */
export async function packedFindings(
  db: Queryable,
  sinceUs: number,
  limit: number,
  before: string | null = null,
): Promise<(Finding | { readonly workItemId: string; readonly content: null })[]> {
  return db.query<Finding>(
    `select work_item_id as "workItemId", seq, found_us as "foundUs", content from animus.packed_findings($1, $2, $3, $4)`,
    [sinceUs, SCRIBE, limit, before],
  );
}

/** Submits one item for the scribe about these findings, if enough items that are not known have one. Idempotent. */
export async function proposeSkill(
  db: Queryable,
  daemonId: string,
  findings: readonly Pick<Finding, 'workItemId' | 'seq'>[],
  threshold: number,
): Promise<SkillProposal> {
  const propose = 'select animus.propose_skill($1, $2::uuid[], $3::int[], $4, $5)';
  const [ids, seqs] = [findings.map(({ workItemId }) => workItemId), findings.map(({ seq }) => seq)];
  return readValue<SkillProposal>(db, propose, [daemonId, ids, seqs, threshold, SCRIBE]);
}
