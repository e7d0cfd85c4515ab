/** Faults of a database, made on purpose. */
import { Client } from 'pg';
import { expect } from 'vitest';
import { asAdmin } from '../support/database.ts';

/** Opens connections until the server refuses one. They stay open however long nothing happens: those of a pool are closed after ten idle seconds. */
export async function fillUp(url: string): Promise<Client[]> {
  const taken: Client[] = [];
  for (;;) {
    const one = new Client(url);
    try {
      await one.connect();
      taken.push(one);
    } catch (error) {
      expect(error).toMatchObject({ code: '53300' });
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
