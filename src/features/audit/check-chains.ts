/** Checks the chains of all decisions. */
import type { Queryable } from '../../store/sql/database.ts';
import { chainChecker } from './chain.ts';
import type { ChainFault, ChainsVerdict } from './rows.ts';
import { readChains, readUnchained } from './store.ts';

export const MAX_FAULTS = 1000;

/** Reads all decisions in pages and checks each chain. */
export async function checkChains(db: Queryable): Promise<ChainsVerdict> {
  const checker = chainChecker();
  const faults: ChainFault[] = [];
  let [decisions, erased] = [0, 0];
  for await (const one of readChains(db)) {
    decisions++;
    if (one.salt === null) erased++;
    const found = checker.check(one);
    if (faults.length < MAX_FAULTS) faults.push(...found);
  }
  for (const id of await readUnchained(db)) {
    faults.push({ fault: 'unchained', id, detail: 'it is not in any chain: it was not written by the engine' });
  }
  return { intact: faults.length === 0, decisions, chains: checker.chains, erased, faults };
}
