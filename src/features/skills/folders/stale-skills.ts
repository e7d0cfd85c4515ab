/** `animus skill list --stale`: skills that daemons have and that no work uses. */
import type { Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { styled } from '../../../terminal/view/output.ts';
import { age } from '../../../terminal/view/quantities.ts';
import { staleSkills } from '../usage.ts';

/** Lists them, those unused for longest first. */
export async function listStale(invocation: Invocation): Promise<number> {
  const { output } = invocation;
  const stale = await withDatabase(invocation, (db) => staleSkills(db));
  output.document({ stale });
  const now = Date.now();
  output.table(
    [
      { title: 'NAME', shrink: true },
      { title: 'BY' },
      { title: 'LAST USED' },
      { title: 'KNOWN SINCE', optional: true },
    ],
    stale.map(({ name, origin, last_used_at: last, first_seen_at: first }) => [
      styled(name, 'bold'),
      origin,
      last === null ? 'never' : age(last, now),
      age(first, now),
    ]),
  );
  if (stale.length === 0) output.note('no skill is stale: each was used lately, or is new');
  else output.note("agents' skills can be archived: animus skill archive NAME; those of people are their files");
  return 0;
}
