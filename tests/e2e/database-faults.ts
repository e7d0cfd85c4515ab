/** Faults of a database, made on purpose. */
import { expect } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { asAdmin } from '../support/database.ts';

/** Opens connections until the server refuses one. */
export async function fillUp(url: string): Promise<Database[]> {
  const taken: Database[] = [];
  for (;;) {
    const one = openPostgres(url, { poolSize: 1 });
    try {
      await one.query('select 1');
      taken.push(one);
    } catch (error) {
      await one.close();
      expect(error).toMatchObject({ code: 'db.unreachable' });
      return taken;
    }
  }
}

/** New sessions get the setting; the old ones are terminated, as in a failover. */
export async function readOnly(name: string, value: 'on' | 'off'): Promise<void> {
  await asAdmin(async (admin) => {
    await admin.query(`alter database ${name} set default_transaction_read_only = ${value}`);
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [name]);
  });
}
