/**
 * Promise: foci that begin and end in one statement with others leave the same rows as foci that do it step by step, and whatever is not the
 * usual case is left to the steps, with nothing written.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { createFocusBeginner } from '../../../src/store/transcript/begin-foci.ts';
import { type FocusKey, startFocus } from '../../../src/store/transcript/focus-row.ts';
import { encodeSettings } from '../../../src/store/transcript/focus-settings.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { addMessage } from '../../../src/store/transcript/messages.ts';
import { answeredTurn, answerJson, recordTurn } from '../../../src/store/transcript/turns.ts';
import type { CompletedWork, LastAnswer } from '../../../src/store/work/claimed/complete-batch.ts';
import { createWorkCompleter } from '../../../src/store/work/claimed/work-completer.ts';
import { type ClaimedWork, claimWork, completeWork, releaseWork } from '../../../src/store/work/work.ts';
import { claimable } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { testDatabase } from '../../support/database.ts';
import { openTransaction, stateOf } from '../work/queue-driver.ts';
import { ANSWER, keyOf, newFocus, PLACE, SETTINGS } from './new-focus.ts';

const target = testDatabase();
const FACULTY = 'quick';

async function claimed(of: { readonly faculty?: string; readonly dedupKey?: string } = {}): Promise<ClaimedWork> {
  const { faculty = FACULTY, dedupKey = null } = of;
  await target.database.query(`insert into animus.work_items (faculty, dedup_key) values ($1, $2)`, [
    faculty,
    dedupKey,
  ]);
  const [work] = await claimWork(target.database, randomUUID(), claimable(faculty), 1, 60);
  return work!;
}

async function storeSettings(settings: typeof SETTINGS): Promise<void> {
  const { id, values } = encodeSettings(settings);
  await target.database.query('select animus.keep_focus_settings($1, $2::jsonb, $3, $4::json)', [id, ...values]);
}

async function stepByStep(work: ClaimedWork): Promise<FocusKey> {
  const { database } = target;
  const row = await startFocus(database, work, { ...SETTINGS, ...PLACE });
  const key = { workItemId: work.id, leaseToken: work.leaseToken, focusId: row.id };
  const { content, tokens } = newFocus(work);
  await addMessage(database, key, { afterTurn: 0, kind: 'orient', content }, tokens);
  await beginTurn(database, key, 1, 0.25, [], key.focusId);
  return key;
}

/** All that is stored of the item and its focus, without what differs from item to item. */
async function rowsOf({ workItemId, focusId }: FocusKey): Promise<string> {
  const [row] = await target.database.query<{ rows: object }>(
    `select json_build_object(
       'item', (select to_jsonb(w) from animus.work_items w where id = $1), 'foci', (select jsonb_agg(f) from animus.foci f where work_item_id = $1),
       'messages', (select jsonb_agg(m) from animus.focus_messages m where focus_id = $2), 'turns', (select json_agg(t) from animus.turns t where focus_id = $2),
       'archived', (select count(*) from pgmq.a_animus_work where message ->> 'work_item_id' = $1::text),
       'queued', (select count(*) from pgmq.q_animus_work where message ->> 'work_item_id' = $1::text),
       'keys', (select count(*) from animus.active_keys where work_item_id = $1)) as rows`,
    [workItemId, focusId],
  );
  return JSON.stringify(row!.rows, null, 1)
    .replaceAll(workItemId, '<item>')
    .replaceAll(focusId, '<focus>')
    .replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '<time>')
    .replaceAll(/"(lease_token|queue_msg_id|lease_owner|daemon_id|dedup_key)": [^,\n]*/g, '"$1": <own>');
}

function countingDatabase() {
  const statements: string[] = [];
  const db: Queryable = {
    query: (sql, params) => {
      statements.push(sql);
      return target.database.query(sql, params);
    },
  };
  return { db, statements };
}

beforeAll(() => storeSettings(SETTINGS));

describe('a new focus', () => {
  test('that begins with others in one statement leaves the rows of one that begins step by step', async () => {
    const reference = await rowsOf(await stepByStep(await claimed()));
    const { db, statements } = countingDatabase();
    const begin = createFocusBeginner(db, PLACE);
    const foci = (await Promise.all(Array.from({ length: 3 }, () => claimed()))).map((work) => newFocus(work));
    expect(await Promise.all(foci.map(begin))).toEqual(['go', 'go', 'go']);
    expect(statements).toHaveLength(1);
    for (const focus of foci) expect(await rowsOf(keyOf(focus))).toBe(reference);
  });

  test('is begun without its turn where a cancel was asked for, the faculty is paused, or no model is asked', async () => {
    const { database } = target;
    const begin = createFocusBeginner(database, PLACE);
    const [cancelled, paused, external] = [await claimed(), await claimed({ faculty: 'paused' }), await claimed()];
    await database.query('select animus.cancel_work($1)', [cancelled.id]);
    await database.query(`select animus.pause('paused')`);
    const foci = [newFocus(cancelled), newFocus(paused), newFocus(external, { turn: false })];
    expect(await Promise.all(foci.map(begin))).toEqual(['cancelled', 'paused', 'go']);
    for (const focus of foci) {
      expect(await rowsOf(keyOf(focus))).toMatch(/"phase": "engage"/);
      expect(await rowsOf(keyOf(focus))).toMatch(/"turns" ?: null/);
    }
  });

  test('with a history, a locked row, a lost lease or unknown settings is left to begin_focus; the others begin', async () => {
    const { database } = target;
    const begin = createFocusBeginner(database, PLACE);
    const usual = await claimed();
    const withLedger = await claimed();
    await appendLedger(database, withLedger.id, 'note', 'By an operator.');
    const withFocus = await claimed();
    await startFocus(database, withFocus, { ...SETTINGS, ...PLACE });
    const released = await claimed();
    await releaseWork(database, released, { delaySeconds: 60, reason: 'x', cause: 'test' });
    const locked = await claimed();
    const unknown = encodeSettings({ ...SETTINGS, facultySnapshot: { name: randomUUID() } });
    const foci = [
      newFocus(withLedger),
      newFocus(withFocus),
      newFocus(released),
      newFocus(locked),
      newFocus(await claimed(), { settings: unknown }),
      newFocus(usual),
    ];
    const stranger = await openTransaction(database, async (tx) => {
      await tx.query('select from animus.work_items where id = $1 for update', [locked.id]);
    });
    expect(await Promise.all(foci.map(begin))).toEqual([null, null, null, null, null, 'go']);
    await stranger.end('commit');
    const written = await database.query('select id from animus.foci where id = any ($1::uuid[])', [
      foci.map((focus) => focus.focusId),
    ]);
    expect(written).toEqual([{ id: foci.at(-1)!.focusId }]);
    expect(await stateOf(database, locked.id)).toBe('claimed');
  });

  test('whose settings were last used before today is left to begin_focus, which spares them from retention', async () => {
    const { database } = target;
    const settings = { ...SETTINGS, facultySnapshot: { name: randomUUID() } };
    await storeSettings(settings);
    const encoded = encodeSettings(settings);
    await database.query(`update animus.focus_settings set used_on = used_on - 1 where id = $1`, [encoded.id]);
    const begin = createFocusBeginner(database, PLACE);
    const work = await claimed();
    expect(await begin(newFocus(work, { settings: encoded }))).toBe(null);
    await startFocus(database, work, { ...settings, ...PLACE });
    expect(await begin(newFocus(await claimed(), { settings: encoded }))).toBe('go');
  });
});

describe('an answer that ends the work', () => {
  async function begun(of: Parameters<typeof claimed>[0] = {}): Promise<FocusKey> {
    const focus = newFocus(await claimed(of));
    await createFocusBeginner(target.database, PLACE)(focus);
    return keyOf(focus);
  }

  function endOf(key: FocusKey, of: Partial<CompletedWork> = {}, last: Partial<LastAnswer> = {}): CompletedWork {
    const outcome = { done: true, note: 'Zoë' };
    const answer = {
      focusId: key.focusId,
      turn: 1,
      answer: answerJson(answeredTurn(1, ANSWER), ANSWER, 0.25),
      ...last,
    };
    return { id: key.workItemId, leaseToken: key.leaseToken, outcome, summary: 'Done.', last: answer, ...of };
  }

  const spent = async () => {
    const [row] = await target.database.query(
      `select sum(usd)::float8 as usd, sum(calls)::int as calls, sum(input_tokens)::int as input, sum(output_tokens)::int as output from animus.spend`,
    );
    return row as Record<string, number>;
  };

  test('is recorded with the end in one statement, with the rows and the costs of the two steps', async () => {
    const { database } = target;
    const first = await spent();
    const alone = await begun({ dedupKey: 'a' });
    await recordTurn(database, alone, answeredTurn(1, ANSWER), ANSWER, 0.25);
    await completeWork(database, { id: alone.workItemId, leaseToken: alone.leaseToken }, endOf(alone).outcome, 'Done.');
    const between = await spent();
    const { db, statements } = countingDatabase();
    const complete = createWorkCompleter(db).complete;
    const keys = [await begun({ dedupKey: 'b' }), await begun({ dedupKey: 'c' })];
    expect(await Promise.all(keys.map((key) => complete(endOf(key))))).toEqual(['completed', 'completed']);
    expect(statements).toHaveLength(1);
    const reference = await rowsOf(alone);
    for (const key of keys) expect(await rowsOf(key)).toBe(reference);
    const last = await spent();
    for (const name of ['usd', 'calls', 'input', 'output']) {
      expect([name, last[name]! - between[name]!]).toEqual([name, 2 * (between[name]! - (first[name] ?? 0))]);
    }
  });

  test('may be written again: the second time changes nothing', async () => {
    const complete = createWorkCompleter(target.database).complete;
    const key = await begun();
    expect(await complete(endOf(key))).toBe('completed');
    const [rows, costs] = [await rowsOf(key), await spent()];
    expect(await complete(endOf(key, { summary: 'Again.' }))).toBe('completed');
    expect([await rowsOf(key), await spent()]).toEqual([rows, costs]);
  });

  test('is left to the steps where its turn is not open, the focus is not that of the item, or the row is locked', async () => {
    const { database } = target;
    const complete = createWorkCompleter(database).complete;
    const [usual, recorded, other, locked] = [await begun(), await begun(), await begun(), await begun()];
    await recordTurn(database, recorded, answeredTurn(1, ANSWER), ANSWER, 0);
    const stranger = await openTransaction(database, async (tx) => {
      await tx.query('select from animus.work_items where id = $1 for update', [locked.workItemId]);
    });
    const ends = [
      endOf(recorded),
      endOf(other, {}, { turn: 2 }),
      endOf(other, {}, { focusId: locked.focusId }),
      endOf(locked),
      endOf(usual),
    ];
    const results = ['unrecorded', 'unrecorded', 'unrecorded', 'unrecorded', 'completed'];
    const late = complete(endOf(other, { leaseToken: '1' }));
    expect(await Promise.all(ends.map(complete))).toEqual(results);
    await expect(late).rejects.toMatchObject({ code: 'work.lease_lost' });
    await stranger.end('commit');
    for (const key of [recorded, other, locked]) expect(await stateOf(database, key.workItemId)).toBe('running');
    expect(await complete(endOf(locked))).toBe('completed');
  });

  test('that the database refuses is refused alone: the others of its statement are written', async () => {
    const { db, statements } = countingDatabase();
    const complete = createWorkCompleter(db).complete;
    const keys = [await begun(), await begun(), await begun()];
    const ends = keys.map((key) => endOf(key));
    ends[1] = endOf(keys[1]!, {}, { answer: '{"usage": {"input": "many"}}' });
    const [first, refused, last] = await Promise.allSettled(ends.map(complete));
    for (const written of [first, last]) expect(written).toEqual({ status: 'fulfilled', value: 'completed' });
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: '22P02' } });
    expect(statements).toHaveLength(4);
    expect(await stateOf(target.database, keys[1]!.workItemId)).toBe('running');
  });
});
