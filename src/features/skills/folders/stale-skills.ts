/** `animus skill list --stale`: skills that daemons have and that no work uses. */
import type { Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { styled } from '../../../terminal/view/output.ts';
import { age } from '../../../terminal/view/quantities.ts';
import { cut, showTable, spare } from '../../../terminal/view/table.ts';
import { staleSkills } from '../usage.ts';

/** Lists them, those unused for longest first. */
export async function listStale(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  const stale = await withDatabase(invocation, (db) => staleSkills(db));
  output.document({ stale });
  const now = Date.now();
  showTable(output, stale, [
    [cut('NAME'), ({ name }) => styled(name, 'bold')],
    ['BY', ({ origin }) => origin],
    ['LAST USED', ({ last_used_at: last }) => (last === null ? 'never' : age(last, now))],
    [spare('KNOWN SINCE'), ({ first_seen_at: first }) => age(first, now)],
  ]);
  if (stale.length === 0) output.note('no skill is stale: each was used recently, or is new');
  else output.note("agents' skills can be archived: animus skill archive NAME; those of people are their files");
  return 0;
}
