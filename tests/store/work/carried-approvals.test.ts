/** Promise: a person who approved a call that never started is not asked again by the next attempt, and no approval starts a call twice. */
import { expect, test } from 'vitest';
import { type Asked, askPerson } from '../../../src/store/transcript/approvals.ts';
import { startCall } from '../../../src/store/transcript/calls.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { approve, deny } from '../../../src/store/work/decide.ts';
import { failWork } from '../../../src/store/work/work.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

/** The same call each time: `send` without input. */
const ask = (work: FocusedWork, callId: string, fourEyes = false): Promise<Asked> =>
  askPerson(target.database, work.key, 1, callId, 'approval', {
    subject: 'tool_call',
    request: { reason: 'the rule send = "ask"', gate: 'permissions', ...(fourEyes && { four_eyes: true }) },
    seconds: 60,
  });

async function begin(id?: string, calls: readonly string[] = ['a', 'b']): Promise<FocusedWork> {
  const work = await beginFocus(target.database, id === undefined ? {} : { id });
  await recordCalls(target.database, work, 1, calls, 'send');
  // As where a rule asks about them.
  await target.database.query(`update animus.tool_calls set state = 'pending', started_at = null where focus_id = $1`, [
    work.key.focusId,
  ]);
  return work;
}

/** Ends the attempt, and begins the next one. */
async function again(work: FocusedWork): Promise<FocusedWork> {
  await failWork(target.database, work, { code: 'engage.failed', message: 'm' }, 0);
  return begin(work.id);
}

const asked = (id: string) => target.database.query('select call_id from animus.inbox where work_item_id = $1', [id]);
const start = (work: FocusedWork, callId: string) => startCall(target.database, work.key, 1, callId, null);

test('the next attempt has the approval, once', async () => {
  const db = target.database;
  const first = await begin();
  await ask(first, 'a');
  await approve(db, first.id, { note: 'go on' });
  const second = await again(first);
  expect(await ask(second, 'a')).toMatchObject({ asked: true, refused: null });
  expect(await asked(second.id)).toEqual([]);
  expect(await parkWork(db, second)).toBe('queued');
  const resumed = await beginFocus(db, { id: second.id });
  expect(resumed.key.focusId).toBe(second.key.focusId);
  await start(resumed, 'a');
  const [wait] = await db.query<{ result: unknown }>(
    `select result from animus.waits where work_item_id = $1 and call_id = 'a'`,
    [second.id],
  );
  expect(wait!.result).toMatchObject({ decision: 'approve', note: 'go on' });
  await ask(resumed, 'b');
  expect(await asked(second.id)).toEqual([{ call_id: 'b' }]);
  await expect(start(resumed, 'b')).rejects.toThrow('nobody has approved it');
  const decisions = await db.query('select from animus.decisions where work_item_id = $1', [second.id]);
  expect(decisions).toHaveLength(1);
  // It has started, so a third attempt asks.
  const third = await again(resumed);
  await ask(third, 'a');
  expect(await asked(third.id)).toEqual([{ call_id: 'a' }]);
});

test('not where it was denied since, nor with four eyes where whoever approved has written to the work', async () => {
  const db = target.database;
  const first = await begin();
  await ask(first, 'a');
  await approve(db, first.id, {});
  await ask(first, 'b');
  await deny(db, first.id, { note: 'never' });
  const second = await again(first);
  expect(await ask(second, 'a')).toMatchObject({ asked: false, refused: expect.stringContaining('denied this call') });

  const other = await begin();
  await ask(other, 'a');
  await approve(db, other.id, {});
  const next = await again(other);
  await db.query(`select animus.say($1, 'Hurry')`, [next.id]);
  await ask(next, 'a', true);
  expect(await asked(next.id)).toEqual([{ call_id: 'a' }]);
  await ask(next, 'b');
  expect(await asked(next.id)).toHaveLength(2);
});
