/** `animus audit verify`. */
import { resolve } from 'node:path';
import { type ChainFault, chainChecker } from '../../core/work/decision-chain.ts';
import type { Database } from '../../store/sql/database.ts';
import { readChains, readUnchained } from '../../store/views/audit.ts';
import type { CommonOptions, Invocation } from '../command/command.ts';
import { withDatabase } from '../command/database.ts';
import { styled } from '../view/output.ts';
import { counted } from '../view/quantities.ts';
import { type ExportFault, faultsAgainst } from './earlier-export.ts';

interface VerifyOptions extends CommonOptions {
  readonly against?: string;
}

/** What was checked, and everything that is wrong, at most 1,000 faults. */
interface Verdict {
  decisions: number;
  chains: number;
  /** Decisions whose note was erased. */
  erased: number;
  /** Lines of the earlier export; null without one. */
  compared: number | null;
  readonly faults: (ChainFault | ExportFault | UnchainedFault)[];
}

interface UnchainedFault {
  readonly fault: 'unchained';
  readonly id: string;
  readonly detail: string;
}

const MAX_FAULTS = 1000;

/** Exits 0 if every chain is intact, otherwise 1. */
export async function verifyCommand(invocation: Invocation, options: VerifyOptions): Promise<number> {
  const { output, context } = invocation;
  const verdict = await withDatabase(invocation, async (db) => {
    const found = await checkChains(db);
    if (options.against !== undefined) {
      const { compared, faults } = await faultsAgainst(db, resolve(context.cwd, options.against), MAX_FAULTS);
      found.compared = compared;
      found.faults.push(...faults);
    }
    return found;
  });
  const intact = verdict.faults.length === 0;
  output.document({ intact, ...verdict });
  for (const fault of verdict.faults) output.line(styled('broken   ', 'red'), placeOf(fault), ': ', fault.detail);
  const { decisions, chains, erased, compared } = verdict;
  output.line(
    intact ? styled('intact   ', 'green') : styled('broken   ', 'red'),
    `${counted(decisions, 'decision')} in ${counted(chains, 'chain')}`,
    erased > 0 ? `, ${counted(erased, 'note')} erased` : '',
    compared === null ? '' : `, compared with ${counted(compared, 'exported decision')}`,
    intact ? '' : `, ${counted(verdict.faults.length, 'fault')}`,
  );
  return intact ? 0 : 1;
}

async function checkChains(db: Database): Promise<Verdict> {
  const checker = chainChecker();
  const verdict: Verdict = { decisions: 0, chains: 0, erased: 0, compared: null, faults: [] };
  for await (const one of readChains(db)) {
    verdict.decisions++;
    if (one.salt === null) verdict.erased++;
    const faults = checker.check(one);
    if (verdict.faults.length < MAX_FAULTS) verdict.faults.push(...faults);
  }
  verdict.chains = checker.chains;
  for (const id of await readUnchained(db)) {
    verdict.faults.push({ fault: 'unchained', id, detail: 'it is in no chain: it was written past the engine' });
  }
  return verdict;
}

function placeOf(fault: Verdict['faults'][number]): string {
  if (fault.fault === 'unchained') return `decision ${fault.id}`;
  const chain = fault.work_item_id === null ? `target ${fault.target}` : `work item ${fault.work_item_id}`;
  return `${chain}, number ${fault.seq} (decision ${fault.id})`;
}
