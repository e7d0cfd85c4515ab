/** `animus audit verify`. */
import { resolve } from 'node:path';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { counted } from '../../terminal/view/quantities.ts';
import { MAX_FAULTS } from './check-chains.ts';
import { type ExportFault, faultsAgainst } from './earlier-export.ts';
import { checkAudit } from './readings.ts';
import type { ChainFault, ChainsVerdict } from './rows.ts';

interface VerifyOptions extends CommonOptions {
  readonly against?: string;
}

interface Verdict extends Omit<ChainsVerdict, 'faults'> {
  /** Lines of the earlier export; null without one. */
  readonly compared: number | null;
  readonly faults: readonly (ChainFault | ExportFault)[];
}

/** Exits 0 if every chain is intact, otherwise 1. */
export async function verifyCommand(invocation: Invocation, options: VerifyOptions): Promise<number> {
  const { output, context } = invocation;
  const verdict = await withDatabase(invocation, async (db): Promise<Verdict> => {
    const found = await checkAudit.run(db, {});
    if (options.against === undefined) return { ...found, compared: null };
    const { compared, faults: differing } = await faultsAgainst(db, resolve(context.cwd, options.against), MAX_FAULTS);
    const faults = [...found.faults, ...differing];
    return { ...found, intact: faults.length === 0, faults, compared };
  });
  output.document(verdict);
  for (const fault of verdict.faults) output.line(styled('broken   ', 'red'), placeOf(fault), ': ', fault.detail);
  const { intact, decisions, chains, erased, compared } = verdict;
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
