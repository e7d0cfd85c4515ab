/** Checks the chains of all decisions, and merges what an export contains. */
import { type ChainFault, chainChecker } from '../../../core/work/decision-chain.ts';
import type { Queryable } from '../../sql/database.ts';
import { type AuditOf, type AuditRow, readChains, readUnchained } from './audit.ts';
import type { RefusedCall } from './refused-calls.ts';

/** A decision that was written past the engine. */
export interface UnchainedFault {
  readonly fault: 'unchained';
  readonly id: string;
  readonly detail: string;
}

/** What was checked, and everything that is wrong, at most 1,000 faults. */
export interface ChainsVerdict {
  readonly decisions: number;
  readonly chains: number;
  /** Decisions whose note was erased. */
  readonly erased: number;
  readonly faults: readonly (ChainFault | UnchainedFault)[];
}

export const MAX_FAULTS = 1000;

/** Reads all decisions in pages and checks each chain. */
export async function checkChains(db: Queryable, of: AuditOf = 'all'): Promise<ChainsVerdict> {
  const checker = chainChecker();
  const faults: (ChainFault | UnchainedFault)[] = [];
  let [decisions, erased] = [0, 0];
  for await (const one of readChains(db, of)) {
    decisions++;
    if (one.salt === null) erased++;
    const found = checker.check(one);
    if (faults.length < MAX_FAULTS) faults.push(...found);
  }
  for (const id of await readUnchained(db, of)) {
    faults.push({ fault: 'unchained', id, detail: 'it is in no chain: it was written past the engine' });
  }
  return { decisions, chains: checker.chains, erased, faults };
}

/** Both by time, oldest first; a decision comes before a call that was refused at the same time. */
export async function* inOrder(
  decisions: AsyncGenerator<AuditRow>,
  refused: AsyncGenerator<RefusedCall>,
): AsyncGenerator<AuditRow | RefusedCall> {
  let next = await refused.next();
  for await (const decision of decisions) {
    for (; !next.done && next.value.created_at < decision.created_at; next = await refused.next()) yield next.value;
    yield decision;
  }
  for (; !next.done; next = await refused.next()) yield next.value;
}
