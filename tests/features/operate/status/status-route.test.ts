import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { askPerson } from '../../../../src/store/transcript/approvals.ts';
import { testApi } from '../../../support/api.ts';
import { beginFocus, recordCalls } from '../../../support/begun-focus.ts';
import { createPerson } from '../../../support/people.ts';

const { start, owner } = testApi();
const APPROVAL = { subject: 'tool_call' as const, request: { tool: 'bash', input: { command: 'rm' } }, seconds: 60 };

test('the status has everything that SQL says, in the form of the document', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const asking = await beginFocus(owner());
  await recordCalls(owner(), asking, 1, ['a'], 'bash');
  await askPerson(owner(), asking.key, 1, 'a', 'approval', APPROVAL);
  const dead = await beginFocus(owner());
  const statements: [string, unknown[]?][] = [
    [`select animus.fail_work($1, $2, '{"message": "broke"}', null)`, [dead.id, dead.leaseToken]],
    [`select animus.register_daemon($1, 'host', 1, '0', 4, '{"engineer": {}}', '[]')`, [randomUUID()]],
    [`insert into animus.work_items (faculty) values ('engineer')`],
    [`insert into animus.pauses (faculty, reason, paused_by, created_at) values ('*', 'red', 'olga', now())`],
    [
      `insert into animus.schedules (name, cron, time_zone, faculty) values ('nightly', '0 0 * * *', 'UTC', 'engineer')`,
    ],
    [
      `insert into animus.retention_kept (table_name, id, referenced_by, seen_at) values ('work_items', '1', 'mine', now())`,
    ],
    [`insert into animus.memory_models (model, dimensions, prepared_at) values ('m', 3, now())`],
    [
      `insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens)
       values ('engineer', 'm', (animus.now() at time zone 'UTC')::date, 0.123456, 10, 1)`,
    ],
    [
      `insert into animus.batches (id, provider, place, path, model, state, requests, created_at, unclear_at)
       values (gen_random_uuid(), 'anthropic', 'anthropic', '/', 'm', 'submitting', 2, now(), now())`,
    ],
    [`select animus.set_budget('appliance', null, 'day', 'usd', 0.1)`],
    [`select pgmq.send('animus_inbox', '{"faculty": "x"}')`],
  ];
  for (const [sql, params] of statements) await owner().query(sql, params ?? []);

  const { status, body } = await call('olga', 'GET', '/status');
  expect([status, body.detail]).toEqual([200, undefined]);
  const [row] = await owner().query<{ status: Record<string, unknown> }>(
    `select animus.status() || animus.ways_in_status() || animus.batch_status() || animus.asks_status() || animus.budget_status() ||
            animus.embedding_status() as status`,
  );
  const { at: _, ...all } = row!.status;
  expect(body).toMatchObject(all);
  for (const [name, value] of Object.entries(all)) {
    // Each list has a row whose fields were compared.
    if (Array.isArray(value) && !['budgets', 'capped'].includes(name))
      expect([name, value.length]).not.toEqual([name, 0]);
  }
  expect(body).toMatchObject({
    asks: { first: [{ tool: 'bash' }] },
    embeddings: { model: 'm' },
    inbox: { waiting: 1 },
  });
});
