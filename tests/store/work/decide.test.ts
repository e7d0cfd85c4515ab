/** What operators decide, in SQL: who may, what is recorded, grants, and requests about the item itself. */

import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { revokeGrant } from '../../../src/features/approvals/store.ts';
import { readAsked } from '../../../src/operations/asked.ts';
import { openNotifications } from '../../../src/store/postgres/notifications.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { askPerson, grantsFor } from '../../../src/store/transcript/approvals.ts';
import { startCall } from '../../../src/store/transcript/calls.ts';
import { openWait, parkWork } from '../../../src/store/transcript/waits.ts';
import { answerQuestion, approve, deny, grantCall } from '../../../src/store/work/decide.ts';
import { askOf } from '../../support/ask-of.ts';
import { beginFocus, type FocusedWork, itemOf, recordCalls } from '../../support/begun-focus.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { noticeOf } from '../postgres/listener.ts';
import { ASKS, askedItem, decisionsAbout } from './asked-item.ts';
import { emptyQueue } from './queue-driver.ts';

const target = testDatabase();
const embedded = embeddedDatabase();
beforeEach(() => emptyQueue(target.database));

const asked = (calls?: readonly string[], id?: string) => askedItem(target.database, calls, id);
const decisions = (id: string) => decisionsAbout(target.database, id);

describe('who decides', () => {
  const logins: string[] = [];
  const as = {} as Record<'submitter' | 'reader' | 'operator' | 'daemon' | 'gateway', Database>;
  beforeAll(async () => {
    for (const role of ['submitter', 'reader', 'operator', 'daemon', 'gateway'] as const) {
      as[role] = openPostgres(await createLogin(target.connectionString, `animus_${role}`, logins), { poolSize: 1 });
    }
  });
  afterAll(async () => {
    await Promise.all(Object.values(as).map((db) => db.close()));
    await dropLogins(logins);
  });

  test.each(['submitter', 'reader', 'daemon', 'gateway'] as const)('%s: decides nothing', async (role) => {
    const { id } = await asked();
    const forbidden = { code: 'db.forbidden' };
    await expect(approve(as[role], id, {})).rejects.toMatchObject(forbidden);
    await expect(deny(as[role], id, {})).rejects.toMatchObject(forbidden);
    await expect(answerQuestion(as[role], id, 'x')).rejects.toMatchObject(forbidden);
    await expect(grantCall(as[role], id, { scope: 'item', seconds: 9 })).rejects.toMatchObject(forbidden);
    await expect(revokeGrant(as[role], '1')).rejects.toMatchObject(forbidden);
    expect(await decisions(id)).toEqual([]);
  });

  test('the submitter of the item may not approve it, and a daemon may not write what it has waited for', async () => {
    const [row] = await as.submitter.query<{ id: string }>(`select id from animus.submit_work('own')`);
    const work = await asked(['c1'], row!.id);
    await expect(approve(as.submitter, work.id, {})).rejects.toMatchObject({ code: 'db.forbidden' });
    const forge = [
      `select animus.resolve_wait($1, 'c1', '{"decision": "approve"}')`,
      `update animus.waits set resolved_at = now() where work_item_id = $1`,
      `insert into animus.grants (scope, faculty, tool, pattern, granted_by, created_at, expires_at) select 'faculty', 'own', 'bash', '*', 'me', now(), now() where $1::uuid is not null`,
    ];
    for (const sql of forge) await expect(as.daemon.query(sql, [work.id])).rejects.toThrow();
    expect(await target.database.query('select from animus.inbox where work_item_id = $1', [work.id])).toHaveLength(1);
  });

  test('an operator decides, under its own name', async () => {
    const { id } = await asked();
    expect(await approve(as.operator, id, { note: 'fine' })).toBe(await askOf(target.database, id, 'c1'));
    const [row] = await target.database.query<{ decision: string; by: string; decided_by: string }>(
      `select w.result ->> 'decision' as decision, w.result ->> 'by' as by, d.decided_by from animus.waits w join animus.decisions d using (work_item_id, ask_id) where work_item_id = $1`,
      [id],
    );
    expect(row!.decision).toBe('approve');
    expect(logins).toContain(row!.by);
    expect(row!.decided_by).toBe(row!.by);
    expect(await decisions(id)).toEqual([{ action: 'approve', call_id: 'c1', note: 'fine', bound: true }]);
  });
});

test('each request and each decision notifies animus_asks of the item', async () => {
  const heard: string[] = [];
  const onNotify = (_channel: string, payload: string) => void heard.push(payload);
  const service = openNotifications(target.database, ['animus_asks'], { onNotify, onReconnect: () => {} });
  await service.start();
  try {
    const { id } = await asked(['c1', 'c2']);
    await deny(target.database, id, { ask: await askOf(target.database, id, 'c1') });
    await target.database.query(`update animus.waits set deadline = now() - interval '1 s' where work_item_id = $1`, [
      id,
    ]);
    await target.database.query('select animus.resolve_due_waits(10)');
    // Nobody was asked about a timer.
    const timed = await beginFocus(target.database);
    await recordCalls(target.database, timed, 1, ['t1']);
    const past = new Date(Date.now() - 1000);
    await openWait(target.database, timed.key, 1, 't1', { kind: 'timer', deadline: past });
    await target.database.query('select animus.resolve_due_waits(10)');
    await target.database.query(`select animus.notify('animus_asks', 'end')`);
    const notice = await noticeOf(target.database, id);
    await expect.poll(() => heard).toEqual([notice, notice, notice, notice, 'end']);
  } finally {
    await service.stop();
  }
});

test('on the embedded database, a request is asked, shown and decided as on a server', async () => {
  const db = embedded.database;
  const work = await beginFocus(db);
  await recordCalls(db, work, 1, ['c1', 'c2'], 'bash');
  for (const call of ['c1', 'c2']) await askPerson(db, work.key, 1, call, 'approval', ASKS);
  const [row] = await readAsked(db, work.id);
  expect(row).toMatchObject({ call_id: 'c1', request: { tool: 'bash', input: {}, reason: 'a rule' } });
  const grant = await grantCall(db, work.id, { ask: await askOf(db, work.id, 'c1'), scope: 'item', seconds: 60 });
  expect(await grantsFor(db, work.key.focusId, 1, 'c2', null)).toEqual([{ id: grant, pattern: null }]);
  await approve(db, work.id, { ask: await askOf(db, work.id, 'c1'), hash: row!.hash, input: '{"n": 1}' });
  await deny(db, work.id, {});
  await startCall(db, work.key, 1, 'c1', null);
  const states = await db.query(
    'select state, final_input from animus.tool_calls where focus_id = $1 order by position',
    [work.key.focusId],
  );
  expect(states).toEqual([
    { state: 'started', final_input: { n: 1 } },
    { state: 'waiting', final_input: null },
  ]);
});

test.each([
  ['a text', '"x"'],
  ['a list', '[{"command": "ls"}]'],
  ['more than 4 MiB', inputOf(4 * 1024 ** 2 + 1)],
  ['a character that no text of the database holds', String.raw`{"command": "a\u0000b"}`],
])('a person edits an input into an object, and not into %s', async (_what, input) => {
  const { id, key } = await asked();
  await expect(approve(target.database, id, { input })).rejects.toThrow('the input is a JSON object of at most 4 MiB');
  const calls = await target.database.query('select state, final_input from animus.tool_calls where focus_id = $1', [
    key.focusId,
  ]);
  expect(calls).toEqual([{ state: 'waiting', final_input: null }]);
  expect(await decisions(id)).toEqual([]);
});

test('an edited input may have 4 MiB', async () => {
  const { id } = await asked();
  await approve(target.database, id, { input: inputOf(4 * 1024 ** 2) });
  expect(await decisions(id)).toMatchObject([{ action: 'edit' }, { action: 'approve' }]);
});

function inputOf(bytes: number): string {
  const frame = '{"command": ""}';
  return `${frame.slice(0, -2)}${'x'.repeat(bytes - frame.length)}"}`;
}

test('the audit shows a decision with the call it was about', async () => {
  const { id } = await asked(['c1', 'c2']);
  await deny(target.database, id, { ask: await askOf(target.database, id, 'c2'), note: 'no' });
  const rows = await target.database.query(
    'select action, call_id, tool, input, call_state, turn from animus.audit where work_item_id = $1',
    [id],
  );
  expect(rows).toEqual([{ action: 'deny', call_id: 'c2', tool: 'bash', input: {}, call_state: 'waiting', turn: 1 }]);
});

describe('a question', () => {
  const QUESTION = { subject: 'question', request: { question: 'Which one?' }, seconds: null } as const;
  async function questioned() {
    const work = await beginFocus(target.database);
    await recordCalls(target.database, work, 1, ['q1', 'c1'], 'bash');
    await askPerson(target.database, work.key, 1, 'q1', 'human', QUESTION);
    await askPerson(target.database, work.key, 1, 'c1', 'approval', ASKS);
    return work;
  }

  test('is answered and not approved, whatever else waits', async () => {
    const { id } = await questioned();
    const [q1, c1] = [await askOf(target.database, id, 'q1'), await askOf(target.database, id, 'c1')];
    await expect(approve(target.database, id, { ask: q1 })).rejects.toThrow(/request .* is a question/);
    await expect(answerQuestion(target.database, id, 'x', c1)).rejects.toThrow(/request .* is not a question/);
    expect(await answerQuestion(target.database, id, 'The left one.')).toBe(q1);
    expect(await approve(target.database, id, {})).toBe(c1);
    expect(await decisions(id)).toEqual([
      { action: 'answer', call_id: 'q1', note: 'The left one.', bound: true },
      { action: 'approve', call_id: 'c1', note: '', bound: true },
    ]);
  });

  test.each(['', '  \n'])('%j is not an answer', async (text) => {
    const { id } = await questioned();
    await expect(answerQuestion(target.database, id, text)).rejects.toMatchObject({ code: 'work.invalid' });
  });
});

const LIMIT = {
  scope: 'faculty',
  subject: 'engineer',
  unit: 'usd',
  period: 'day',
  starts: '2999-01-01',
  amount: 5,
  base: 5,
};

describe('a request about the item itself', () => {
  const open = (work: FocusedWork) =>
    target.database.query<{ opened: boolean }>(
      `select animus.open_item_wait($1, $2, 'budget', 'budget', $3, 60) as opened`,
      [work.key.focusId, work.leaseToken, JSON.stringify(LIMIT)],
    );

  test('parks the item without a call, is asked once, and wakes it when it is approved', async () => {
    const db = target.database;
    const work = await beginFocus(db);
    expect(await open(work)).toEqual([{ opened: true }]);
    expect(await open(work)).toEqual([{ opened: false }]);
    expect(await parkWork(db, { id: work.id, leaseToken: work.leaseToken })).toBe('waiting');
    expect(await approve(db, work.id, { input: '{"add": 3}' })).toBe(await askOf(db, work.id, null));
    expect(await itemOf(db, work.id)).toMatchObject({ state: 'queued' });
    expect((await decisions(work.id)).map(({ action }) => action)).toEqual(['edit', 'approve']);
  });

  test('is not approved where the limit cannot be extended, in the same transaction', async () => {
    const db = target.database;
    const work = await beginFocus(db);
    await db.query(`select animus.set_budget('appliance', null, 'day', 'usd', 5)`);
    onTestFinished(async () => void (await db.query('delete from animus.budget_limits')));
    const asked = { ...LIMIT, scope: 'appliance', subject: '', needed: 6 };
    await db.query(`select animus.open_item_wait($1, $2, 'budget', 'budget', $3, 60)`, [
      work.key.focusId,
      work.leaseToken,
      JSON.stringify(asked),
    ]);
    await expect(approve(db, work.id, { input: '{"add": -1}' })).rejects.toThrow('must be above the present one');
    expect(await decisions(work.id)).toEqual([]);
  });
});
