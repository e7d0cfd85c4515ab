/** Promise: a message changes no request under way, wakes parked work only when asked to, and approves nothing. */
import { describe, expect, test } from 'vitest';
import { putTurn } from '../../../src/store/transcript/batch-requests.ts';
import { openWait, parkWork, readWaits } from '../../../src/store/transcript/waits.ts';
import { sayWork } from '../../../src/store/work/say-work.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { testDatabase } from '../../support/database.ts';
import { mailOf } from './mailbox-driver.ts';

const target = testDatabase();

describe('a message to a turn in a batch', () => {
  test('does not change the request under way, comes with the next turn, and wakes nothing', async () => {
    const work = await beginFocus(target.database);
    expect(await beginTurn(target.database, work.key, 1, 0)).toBe('go');
    const request = { provider: 'p', place: 'p', path: '/x', model: 'm', headers: {}, body: '{}' };
    await putTurn(target.database, work.key, 1, request);
    await parkWork(target.database, work);
    expect(await sayWork(target.database, work.id, 'Hurry', true)).toMatchObject({ state: 'waiting' });
    await target.database.query(
      `update animus.batch_requests set state = 'answered', answer = '{}' where work_item_id = $1`,
      [work.id],
    );
    await target.database.query(
      `select animus.resolve_wait(work_item_id, call_id, '{}') from animus.waits where work_item_id = $1`,
      [work.id],
    );
    const again = await beginFocus(target.database, { id: work.id });
    expect(await beginTurn(target.database, again.key, 1, 0)).toBe('go');
    await recordCalls(target.database, again, 1, []);
    expect(await beginTurn(target.database, again.key, 2, 0)).toBe('mail');
    expect(await mailOf(target.database, work.id)).toMatchObject([{ delivered: true, after_turn: 1 }]);
  });
});

describe('a message to a parked focus', () => {
  async function parked(kind: 'timer' | 'human' | 'approval'): Promise<FocusedWork> {
    const work = await beginFocus(target.database);
    await recordCalls(target.database, work, 1, ['c1']);
    await openWait(target.database, work.key, 1, 'c1', { kind, deadline: null });
    expect(await parkWork(target.database, work)).toBe('waiting');
    return work;
  }

  test('does not wake it, unless it is asked to: then its waits end, and say so', async () => {
    for (const kind of ['timer', 'human'] as const) {
      const work = await parked(kind);
      expect(await sayWork(target.database, work.id, 'By the way.')).toMatchObject({ state: 'waiting' });
      expect(await sayWork(target.database, work.id, 'Now!', true)).toMatchObject({ state: 'queued' });
      expect(await readWaits(target.database, work.id)).toMatchObject([{ result: { interrupted_by_message: true } }]);
    }
  });

  test('never ends an approval', async () => {
    const work = await parked('approval');
    expect(await sayWork(target.database, work.id, 'Now!', true)).toMatchObject({ state: 'waiting' });
    expect(await readWaits(target.database, work.id)).toMatchObject([{ result: null }]);
  });

  test('that asks to wake and comes just before it parks is not missed', async () => {
    const work = await beginFocus(target.database);
    await recordCalls(target.database, work, 1, ['c1']);
    await openWait(target.database, work.key, 1, 'c1', { kind: 'timer', deadline: null });
    await sayWork(target.database, work.id, 'Now!', true);
    expect(await parkWork(target.database, work)).toBe('queued');
  });
});
