/** Whether a login can act for people, without which the HTTP API can answer nobody. */
import type { Queryable } from '../sql/database.ts';

export interface Voucher {
  readonly login: string;
  readonly mayVouch: boolean;
}

/** The login of the connection, and whether it is a gateway or owns the schema. Only for a database that is migrated. */
export async function readVoucher(db: Queryable): Promise<Voucher> {
  const [row] = await db.query<{ login: string; may_vouch: boolean }>(
    'select session_user::text as login, animus.may_vouch() as may_vouch',
  );
  return { login: row!.login, mayVouch: row!.may_vouch };
}

/** What to run, as a superuser or a role with admin option on animus_gateway. */
export function gatewayGrant({ login }: Voucher): string {
  return `grant animus_gateway to "${login.replaceAll('"', '""')}"`;
}
