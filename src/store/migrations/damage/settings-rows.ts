/** The rows of animus.settings that each migrated database has. */
import type { Queryable } from '../../sql/database.ts';
import { readValues } from '../../sql/read-value.ts';

/** Those that migrations make, the others are made by the function files and by each migration; with what stands for a value that is lost. */
const MADE: Readonly<Record<string, string>> = {
  min_client: `'1'::jsonb`,
  spend_details_since: `to_jsonb(coalesce((select min(s.day)::timestamptz from animus.spend_sums s), now()))`,
};
const KEYS = [...Object.keys(MADE), 'memory', 'spend_calls_since', 'losses_in_accounts_since'];

/** The keys that have no row: somebody has deleted them, and perhaps others, which a person had set. */
export async function missingSettings(db: Queryable): Promise<string[]> {
  return readValues<string>(
    db,
    'select k.key from unnest($1::text[]) with ordinality k (key, n) where not exists (select from animus.settings s where s.key = k.key) order by k.n',
    [KEYS],
  );
}

/** Makes rows that are missing, and returns their keys. The function files make the rest. */
export async function restoreSettings(tx: Queryable): Promise<string[]> {
  const missing = await missingSettings(tx);
  for (const key of missing) {
    const value = MADE[key];
    if (value !== undefined)
      await tx.query(`insert into animus.settings (key, value) values ($1, ${value}) on conflict do nothing`, [key]);
  }
  return missing;
}
