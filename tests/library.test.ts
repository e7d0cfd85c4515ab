import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { type Connection, submitWork } from '../src/library.ts';
import { testDatabase } from './support/database.ts';

const target = testDatabase();

test('submits work in the transaction of the program, and rolls it back with it', async () => {
  const client = await connect();
  await client.query('begin');
  const undone = await submitWork(client, { faculty: 'engineer', description: 'never' });
  await client.query('rollback');
  await client.query('begin');
  const kept = await submitWork(client, {
    faculty: 'engineer',
    description: 'Fix it',
    params: { deep: [null] },
    concurrencyKey: 'repo',
  });
  await client.query('commit');
  expect(kept).toEqual({ id: expect.any(String), state: 'queued', mergedInto: null });
  expect(
    await target.database.query(
      'select id, description, params, concurrency_key from animus.work_items where id = any ($1)',
      [[undone.id, kept.id]],
    ),
  ).toEqual([{ id: kept.id, description: 'Fix it', params: { deep: [null] }, concurrency_key: 'repo' }]);
});

test('submits child work that is detached', async () => {
  const client = await connect();
  const { id: parentId } = await submitWork(client, { faculty: 'engineer' });
  const attachments = [{ name: 'notes.txt', content: Buffer.from('Fix it') }];
  for (const more of [{}, { detached: true }, { detached: true, batch: true, attachments }])
    await submitWork(client, { faculty: 'engineer', parentId, ...more });
  expect(
    await target.database.query('select detached, batch from animus.work_items where parent_id = $1 order by id', [
      parentId,
    ]),
  ).toEqual([
    { detached: null, batch: null },
    { detached: true, batch: null },
    { detached: true, batch: true },
  ]);
});

test('errors have the codes of docs/errors.md', async () => {
  const client = await connect();
  await expect(submitWork(client, { faculty: 'Bad Name' })).rejects.toMatchObject({ code: 'work.invalid' });
  await expect(submitWork(client, { faculty: 'engineer', parentId: randomUUID() })).rejects.toMatchObject({
    code: 'work.not_found',
  });
});

test('works if the program brings its own copy of the driver', async () => {
  const client = await connect();
  const foreign: Connection = {
    async query(text, values) {
      try {
        return await client.query(text, values);
      } catch (error) {
        throw Object.assign(new Error((error as Error).message), error);
      }
    },
  };
  await expect(submitWork(foreign, { faculty: 'engineer', parentId: randomUUID() })).rejects.toMatchObject({
    code: 'work.not_found',
  });
});

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: target.connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
