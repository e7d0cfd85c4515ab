/** Checks whether the HTTP API can answer anybody. */
import type { Config } from '../../../core/config/config.ts';
import { gatewayGrant, readVoucher } from '../../../store/people/may-vouch.ts';
import { openPostgres } from '../../../store/postgres/postgres.ts';
import type { Database } from '../../../store/sql/database.ts';
import { type Finding, fine, problem } from '../../../terminal/view/finding.ts';

/** Nothing while the API is off. `db`: what the daemon uses, and the API unless it has a login of its own. */
export async function examineApi(db: Database, { http }: Pick<Config, 'http'>): Promise<readonly Finding[]> {
  if (!http.api) return [];
  const own = http.databaseUrl && openPostgres(http.databaseUrl.reveal(), { poolSize: 1 });
  try {
    const voucher = await readVoucher(own ?? db);
    if (voucher.mayVouch) return [fine('api', `its login ${voucher.login} may act for people`)];
    const detail = `its login ${voucher.login} may not act for people, so every request is refused`;
    return [problem('api', detail, `run as a superuser: ${gatewayGrant(voucher)}`)];
  } finally {
    await own?.close();
  }
}
