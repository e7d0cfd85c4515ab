/** The promise: whoever listens hears that something happens, but learns no id of work that it may not see; and whoever may see it knows what it is about. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchEvents } from '../../src/store/events/read-events.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { askPerson } from '../../src/store/transcript/approvals.ts';
import { deny } from '../../src/store/work/decide.ts';
import { runningParent } from '../store/children/family.ts';
import { type Listener, listen, noticeOf } from '../store/postgres/listener.ts';
import { testDatabase } from '../support/database.ts';
import { newKey, openLogins, submit } from './submitters.ts';

const target = testDatabase();
const owner = () => target.database;
const login = openLogins(owner);
let a: Database;
let b: Database;
beforeAll(async () => {
  [a, b] = [await login(), await login()];
});

let listener: Listener;
let channels: readonly string[];
beforeAll(async () => {
  const found = await owner().query<{ name: string }>(
    `select distinct m[1] as name from pg_proc p cross join lateral regexp_matches(p.prosrc, '''(animus_[a-z_]+)''', 'g') m
      where p.pronamespace = 'animus'::regnamespace and p.prosrc ~ 'notify'`,
  );
  channels = found.map(({ name }) => name);
  listener = await listen(b, ...channels);
});
afterAll(() => listener.stop());

test('hears the whole life of an item of another submitter, and learns none of its ids', async () => {
  expect(channels).toEqual(
    expect.arrayContaining(['animus_work_done', 'animus_events', 'animus_ledger', 'animus_asks', 'animus_work_ready']),
  );
  const { id } = await submit(a, newKey());
  await a.query('select animus.watch_work($1)', [id]);
  await a.query('select animus.watch_events($1)', [[id]]);
  const notice = await noticeOf(a, id);
  expect(notice).toMatch(/^[0-9a-f]{32}$/);
  const work = await runningParent(owner(), ['ask'], id);
  await a.query(`select animus.say($1, 'Hello')`, [id]);
  await askPerson(owner(), work.key, 1, 'ask', 'approval', {
    subject: 'tool_call',
    request: { reason: 'a rule' },
    seconds: null,
  });
  await owner().query(`select animus.append_ledger($1, 'note', 'x')`, [id]);
  await deny(owner(), id, {});
  await a.query('select animus.cancel_work($1)', [id]);
  await owner().query(`select animus.end_cancelled($1, $2)`, [id, work.leaseToken]);
  // Its submitter is woken by each, and knows which item it is about.
  for (const channel of ['work_done', 'events', 'ledger', 'asks']) await listener.until(`animus_${channel} ${notice}`);

  const [all] = await owner().query<{ ids: string[] }>(
    `select array[w.id, f.id]::text[] || array(select v.ask_id::text from animus.waits v where v.work_item_id = w.id) as ids
       from animus.work_items w join animus.foci f on f.work_item_id = w.id where w.id = $1`,
    [id],
  );
  expect(all!.ids.length).toBeGreaterThan(2);
  const heard = listener.heard.join('\n').replaceAll('-', '');
  for (const one of all!.ids) expect(heard).not.toContain(one.replaceAll('-', '').slice(-12));
  // Nor may it ask what an id that it knows is called there, or have it watched.
  // A gateway can act for its submitter, and watches with its own login.
  const gateway = await login('animus_gateway');
  expect(await watchEvents(gateway, [id])).toEqual(new Map([[notice, id]]));
  expect(await watchEvents(b, [id])).toEqual(new Map());
  const other = await submit(a, newKey());
  await b.query('select animus.watch_events($1)', [[other.id]]);
  expect(await owner().query('select from animus.watches where work_item_id = $1', [other.id])).toEqual([]);
});
