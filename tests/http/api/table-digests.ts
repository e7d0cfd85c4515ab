/** What is in the database, to see whether a request changed anything. */
import type { Queryable } from '../../../src/store/sql/database.ts';

/** A digest of each table but that of the keys, without what a repetition may change: when a token was used. */
export async function tableDigests(db: Queryable): Promise<Record<string, string>> {
  const tables = await db.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'animus'::regnamespace and relkind = 'r' and relname <> 'idempotency_keys' order by 1`,
  );
  const digests = tables.map(({ name }) => {
    const row = name === 'tokens' ? `to_jsonb(t) - 'last_used_at'` : 't';
    return `select '${name}' as name, md5(coalesce(string_agg((${row})::text, ' ' order by (${row})::text), '')) as digest from animus.${name} t`;
  });
  const rows = await db.query<{ name: string; digest: string }>(digests.join(' union all '));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
