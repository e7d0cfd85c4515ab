import { beforeEach, expect, test } from 'vitest';
import { WORDS, wordsOf } from '../../../src/core/work/words.ts';
import { testDatabase } from '../../support/database.ts';
import { beginWriter } from '../../support/fencing/lease-losses.ts';
import { emptyQueue } from './queue-driver.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

test('a database has the words of TypeScript, and no other list', async () => {
  const lists = Object.keys(WORDS) as (keyof typeof WORDS)[];
  const rows = await target.database.query<{ list: string; words: string[] }>(
    'select list, animus.words(list) as words from unnest($1::text[]) list',
    [lists],
  );
  expect(rows).toEqual(lists.map((list) => ({ list, words: wordsOf(list) })));
  const [body] = await target.database.query<{ body: string }>(
    `select prosrc as body from pg_proc where proname = 'words'`,
  );
  expect([...body!.body.matchAll(/when '([\w.]+)'/g)].map(([, list]) => list)).toEqual(lists);
});

/** Their columns are written by functions alone, which refuse other words. */
const BY_FUNCTIONS = [
  'work_ledger.entry_type',
  'people.role',
  'tokens.kind',
  'tokens.scopes',
  'webhooks.events',
] as const;

const WRITES: Readonly<Record<Exclude<keyof typeof WORDS, (typeof BY_FUNCTIONS)[number]>, string>> = {
  'foci.phase': `update animus.foci set phase = $1`,
  'tool_calls.origin': `update animus.tool_calls set origin = $1 where call_id = 'c1'`,
  'focus_messages.kind': `insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, keeps_from, created_at)
     select id, 1, 0, $1, 'x', 1, case when $1 in ('stub', 'summary') then 1 end, animus.now() from animus.foci`,
  'waits.kind': `insert into animus.waits (work_item_id, call_id, kind, created_at) select id, 'c', $1, animus.now() from animus.work_items`,
  'waits.subject': `insert into animus.waits (work_item_id, call_id, kind, subject, request, request_hash, created_at)
     select id, 'c', 'approval', $1, '{}', '\\x00', animus.now() from animus.work_items`,
  'hook_runs.event': `insert into animus.hook_runs (focus_id, turn, event, hook, run_id, decision, ended_at, duration_ms)
     select id, 1, $1, 'x', gen_random_uuid(), 'allow', animus.now(), 1 from animus.foci`,
  'decisions.action': `insert into animus.decisions (action, decided_by, created_at) values ($1, 'x', animus.now())`,
};

test.each(Object.keys(WRITES) as (keyof typeof WRITES)[])('%s takes its words and no other', async (list) => {
  await beginWriter(target.database);
  const [table, column] = list.split('.');
  await target.database.query(WRITES[list], [wordsOf(list)[0]]);
  await expect(target.database.query(WRITES[list], ['nonsense'])).rejects.toMatchObject({
    code: '23514',
    table,
    constraint: `${table}_${column}_check`,
    message: expect.stringContaining(`'nonsense' is not a valid ${column}`),
    hint: `one of ${wordsOf(list).join(', ')}`,
  });
});

test('a decision remains after its item was deleted', async () => {
  const { id } = await beginWriter(target.database);
  await target.database.query(`select animus.cancel_work($1, 'not needed')`, [id]);
  await target.database.query(`select animus.end_cancelled(id, lease_token) from animus.work_items`);
  await target.database.query(`delete from animus.work_items where id = $1`, [id]);
  expect(await target.database.query('select work_item_id, action, note from animus.decisions')).toEqual([
    { work_item_id: id, action: 'cancel', note: 'not needed' },
  ]);
});
