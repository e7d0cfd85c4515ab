/** Warns of a faculty that no running daemon serves: what was asked is accepted, but with a misspelt name it waits forever. */
import { didYouMean } from '../../core/errors/suggest.ts';
import type { Unserved } from '../../operations/operation.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { readServedNames } from '../../store/views/visible/visible-appliance.ts';

/** The warning, to be spread into the answer; empty if daemons serve all of them. */
export async function unserved(
  tx: Queryable,
  faculties: readonly string[],
  { until, served: known }: Unserved,
): Promise<{ readonly warning?: string }> {
  if (faculties.length === 0) return {};
  const served = known ?? (await readServedNames(tx));
  const missing = faculties.filter((name) => !served.includes(name));
  if (missing.length === 0) return {};
  const named = missing.map((name) => `${name}${didYouMean(name, served)}`).join(', ');
  return { warning: `no running daemon serves ${named}; ${until} until one does` };
}
