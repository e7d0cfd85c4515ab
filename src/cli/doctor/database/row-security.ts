/** Checks that row security hides no rows of animus from animus. */
import type { Database } from '../../../store/sql/database.ts';
import { readSecuredTables } from '../../../store/views/row-security.ts';
import { type Finding, note, problem } from '../../../terminal/view/finding.ts';

/** One finding per owner and kind; nothing where it is off everywhere, as animus makes its tables. */
export async function examineRowSecurity(db: Database): Promise<readonly Finding[]> {
  const groups = Map.groupBy(await readSecuredTables(db), ({ owner, forced }) => JSON.stringify([owner, forced]));
  return [...groups.values()].map((tables) => {
    const [{ owner, forced }] = tables as [(typeof tables)[0]];
    const names = tables.map(({ table }) => table).join(', ');
    const remedy = `run as ${owner}: ${tables.map(({ table }) => `alter table ${table} no force row level security, disable row level security;`).join(' ')}`;
    return forced
      ? problem('row security', `forced on ${names}: animus itself does not see the rows, or not all of them`, remedy)
      : note('row security', `on for ${names}: logins see and insert there only what a policy allows them`, remedy);
  });
}
