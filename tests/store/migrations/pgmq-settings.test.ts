/** Promise: an application can send to the inbox in a session as any server makes it. */
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { testDatabase } from '../../support/database.ts';
import { configure, type Setting } from '../postgres/setting-matrix.ts';

const target = testDatabase({ empty: true });
const occupied = testDatabase({ empty: true });

const SETTINGS: readonly Setting[] = [
  { name: 'standard_conforming_strings', value: 'off' },
  { name: 'search_path', value: 'app, pg_catalog' },
];

test('pgmq.send to the inbox depends neither on how literals are read nor on what stands before pg_catalog', async () => {
  await configure(target.database, SETTINGS);
  await migrate(target.open({ poolSize: 1 }));
  const client = new Client({ connectionString: target.connectionString });
  await client.connect();
  try {
    expect((await client.query('show standard_conforming_strings')).rows).toEqual([
      { standard_conforming_strings: 'off' },
    ]);
    const message = { faculty: 'f', description: `a\\b 'c'` };
    await client.query(`select pgmq.send('animus_inbox', $1)`, [JSON.stringify(message)]);
    const { rows } = await client.query('select message from pgmq.q_animus_inbox');
    expect(rows).toEqual([{ message }]);
    await client.query(`select pgmq.archive('animus_inbox', msg_id) from pgmq.q_animus_inbox`);
    // What pgmq refuses is refused as before.
    await expect(client.query(`select pgmq.send('a;b', '{}')`)).rejects.toThrow('invalid characters');
  } finally {
    await client.end();
  }
});

test('an installation that fails because something is in the way says that it was the step of pgmq', async () => {
  await occupied.database.query('create schema pgmq; create type pgmq.message_record as (mine int)');
  await expect(migrate(occupied.database)).rejects.toMatchObject({
    code: 'db.migration_failed',
    message: expect.stringMatching(/^migration pgmq failed: /),
  });
});
