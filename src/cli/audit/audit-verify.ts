/** `animus audit verify`. */
import { resolve } from 'node:path';
import { type ChainsVerdict, checkChains, MAX_FAULTS } from '../../store/views/audit/check-audit.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { counted } from '../../terminal/view/quantities.ts';
import { type ExportFault, faultsAgainst } from './earlier-export.ts';

interface VerifyOptions extends CommonOptions {
  readonly against?: string;
}

interface Verdict extends Omit<ChainsVerdict, 'faults'> {
  /** Lines of the earlier export; null without one. */
  readonly compared: number | null;
  readonly faults: readonly (ChainsVerdict['faults'][number] | ExportFault)[];
}

/** Exits 0 if every chain is intact, otherwise 1. */
export async function verifyCommand(invocation: Invocation, options: VerifyOptions): Promise<number> {
  const { output, context } = invocation;
  const verdict = await withDatabase(invocation, async (db): Promise<Verdict> => {
    const found = await checkChains(db);
    if (options.against === undefined) return { ...found, compared: null };
    const { compared, faults } = await faultsAgainst(db, resolve(context.cwd, options.against), MAX_FAULTS);
    return { ...found, compared, faults: [...found.faults, ...faults] };
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

function placeOf(fault: Verdict['faults'][number]): string {
  if (fault.fault === 'unchained') return `decision ${fault.id}`;
  const chain = fault.work_item_id === null ? `target ${fault.target}` : `work item ${fault.work_item_id}`;
  return `${chain}, number ${fault.seq} (decision ${fault.id})`;
}
