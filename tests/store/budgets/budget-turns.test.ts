/** Promise: no turn begins that may pass a limit, whatever it is limited by, and nothing that was held is forgotten. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { answeredTurn, recordTurn } from '../../../src/store/transcript/turns.ts';
import { claimWork } from '../../../src/store/work/work.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';
import { beginHeld, beginLimited, limit, recordCost, settled } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';

const faculty = () => `f${randomUUID()}`;

describe('a limit of an item', () => {
  const target = testDatabase();

  test('lets turns begin until one could pass it, and then says which limit, how much is spent and what the turn may cost', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'item', name, 1, { onExceeded: 'die' });
    const work = await beginLimited(database, name);
    expect(await beginTurn(database, work.key, 1, 0)).toBe('reserve');
    for (const turn of [1, 2, 3]) {
      expect(await beginHeld(database, work, turn, 0.4)).toMatchObject({ permit: 'go' });
      await recordCost(database, work, turn, 0.3);
    }
    const refused = await beginHeld(database, work, 4, 0.4);
    expect(refused).toMatchObject({ permit: 'budget', action: 'die' });
    expect(refused.message).toBe(
      'the limit of 1 USD for this work item would be exceeded: 0.9 spent so far, and the next turn may cost 0.4',
    );
    expect(await beginHeld(database, work, 4, 0.1)).toMatchObject({ permit: 'go' });
    await recordCost(database, work, 4, 0.1);
    expect(await settled(database, 'item', work.id)).toBe(1);
  });

  test('counts a turn that was begun and lost with all that was held for it, once', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'item', name, 1);
    const work = await beginLimited(database, name);
    const attempt = randomUUID();
    expect(await beginHeld(database, work, 1, 0.4, 0, attempt)).toMatchObject({ permit: 'go' });
    await database.query(`select animus.say($1, 'Hurry.')`, [work.id]);
    expect(await beginHeld(database, work, 1, 0.4, 0, attempt)).toMatchObject({ permit: 'go' });
    expect(await beginHeld(database, work, 1, 0.4)).toEqual({ permit: 'mail' });
    expect(await beginHeld(database, work, 1, 0.4)).toMatchObject({ permit: 'go' });
    await recordCost(database, work, 1, 0.2);
    expect(await settled(database, 'item', work.id)).toBe(0.6);
    const [turn] = await database.query(
      'select cost_usd::float8, lost_usd::float8, reserved_usd::float8 from animus.turns where focus_id = $1',
      [work.key.focusId],
    );
    expect(turn).toEqual({ cost_usd: 0.2, lost_usd: 0.4, reserved_usd: 0 });
  });

  test('of tokens counts input and output', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'item', name, 1000, { unit: 'tokens', onExceeded: 'die' });
    const work = await beginLimited(database, name);
    expect(await beginHeld(database, work, 1, null, 900)).toMatchObject({ permit: 'go' });
    await recordCost(database, work, 1, 0, 700);
    expect(await beginHeld(database, work, 2, null, 400)).toMatchObject({ permit: 'budget' });
    expect(await beginHeld(database, work, 2, null, 300)).toMatchObject({ permit: 'go' });
  });

  test('of dollars refuses a model without a price', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'item', name, 1000);
    const work = await beginLimited(database, name);
    expect(await beginHeld(database, work, 1, null, 900)).toMatchObject({
      permit: 'budget',
      action: 'die',
      message: expect.stringMatching(/no price/),
    });
  });

  test('charges an answer that cost more than was held in full', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'item', name, 1, { onExceeded: 'die' });
    const work = await beginLimited(database, name);
    await beginHeld(database, work, 1, 0.9);
    await recordCost(database, work, 1, 1.2);
    expect(await beginHeld(database, work, 2, 0.000001)).toMatchObject({ permit: 'budget' });
    expect(await settled(database, 'item', work.id)).toBe(1.2);
  });

  test('charges all that was held where the provider did not say what it used', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'item', name, 1);
    const work = await beginLimited(database, name);
    await beginHeld(database, work, 1, 0.4);
    const answer = {
      provider: 'p',
      model: 'm',
      responseId: null,
      content: [],
      stopReason: 'end_turn',
      rawStopReason: null,
      cutToolCalls: [],
    } as const;
    const full = { ...answer, usage: null, timeToFirstTokenMs: null, durationMs: 0 };
    await recordTurn(database, work.key, answeredTurn(1, full), full, null);
    expect(await settled(database, 'item', work.id)).toBe(0.4);
  });

  test('gives back what was held for a request that cost nothing', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'item', name, 1);
    const work = await beginLimited(database, name);
    await beginHeld(database, work, 1, 0.4);
    await database.query('select animus.give_back_turn($1, $2, 1)', [work.key.focusId, work.key.leaseToken]);
    await beginHeld(database, work, 1, 1);
    await recordCost(database, work, 1, 0.1);
    expect(await settled(database, 'item', work.id)).toBe(0.1);
  });

  test('charges a summary that is not recorded in full, and one that is with its cost', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'item', name, 1);
    const work = await beginLimited(database, name);
    const begin = (attempt: string) =>
      database.query('select animus.begin_side_call($1, $2, 0.3, 0, $3, $4) as may', [
        work.key.focusId,
        work.key.leaseToken,
        attempt,
        { model: 'p/m', operation: 'summary' },
      ]);
    // The response to the first try was lost: it is not charged twice.
    const first = randomUUID();
    for (let tries = 0; tries < 2; tries += 1) expect(await begin(first)).toEqual([{ may: true }]);
    expect(await begin(randomUUID())).toEqual([{ may: true }]);
    const end = (cost: number | null) =>
      database.query('select animus.record_side_call($1, $2, $3::jsonb)', [
        work.key.focusId,
        work.key.leaseToken,
        JSON.stringify({
          provider: 'p',
          model: 'm',
          usage: { input: 1, output: 2 },
          cost_usd: cost,
          operation: 'summary',
          lost: 0,
        }),
      ]);
    await end(0.05);
    expect(await begin(randomUUID())).toEqual([{ may: true }]);
    await end(null);
    expect(await begin(randomUUID())).toEqual([{ may: true }]);
    expect(await begin(randomUUID())).toEqual([{ may: false }]);
    expect(await settled(database, 'item', work.id).catch(String)).toMatch(/"holds":1/);
    await database.query('select animus.give_back_turn($1, $2, 0)', [work.key.focusId, work.key.leaseToken]);
    expect(await settled(database, 'item', work.id)).toBe(0.65);
  });

  test('charges what was held when the item ends in the middle of a turn', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'faculty', name, 1, { period: 'day' });
    const work = await beginLimited(database, name);
    await beginHeld(database, work, 1, 0.4);
    await database.query('select animus.settle_budgets($1)', [randomUUID()]);
    expect(
      await database.query('select from animus.budget_holds where focus_id = $1', [work.key.focusId]),
    ).toHaveLength(1);
    await database.query(`select animus.fail_work($1, $2, '{"message": "broken"}')`, [work.id, work.leaseToken]);
    expect(await settled(database, 'faculty', name)).toBe(0.4);
    const [turn] = await database.query('select lost_usd::float8 from animus.turns where focus_id = $1', [
      work.key.focusId,
    ]);
    expect(turn).toEqual({ lost_usd: 0.4 });
  });

  test('tells the model once that 80 % are used, and the log once per limit', async () => {
    const { database } = target;
    const name = faculty();
    await limit(database, 'faculty', name, 10, { period: 'month' });
    const [first, second] = [await beginLimited(database, name), await beginLimited(database, name)];
    expect(await beginHeld(database, first, 1, 7.9)).toMatchObject({ permit: 'go', messages: [], used: [] });
    await recordCost(database, first, 1, 7.9);
    const attempt = randomUUID();
    const told = await beginHeld(database, first, 2, 0.1, 0, attempt);
    expect(told).toMatchObject({
      permit: 'go',
      messages: [expect.stringContaining('2 are left')],
      used: [{ scope: 'faculty', subject: name, used: 8 }],
    });
    expect(await beginHeld(database, first, 2, 0.1, 0, attempt)).toMatchObject({ messages: told.messages });
    await recordCost(database, first, 2, 0.1);
    expect(await beginHeld(database, first, 3, 0.1)).toMatchObject({ messages: [] });
    expect(await beginHeld(database, second, 1, 0.1)).toMatchObject({
      messages: [expect.stringContaining('are left')],
      used: [],
    });
    const kept = await database.query('select seq, after_turn, kind from animus.focus_messages where focus_id = $1', [
      first.key.focusId,
    ]);
    expect(kept).toEqual([{ seq: 1, after_turn: 1, kind: 'notice' }]);
    // Retention deletes the item; what its focus was told is not kept for ever.
    await database.query(`select animus.complete_work($1, $2, '{}')`, [first.id, first.leaseToken]);
    await database.query('delete from animus.work_items where id = $1', [first.id]);
    await database.query('select animus.prune_budgets()');
    const foci = await database.query(
      'select w.focus_id from animus.budget_warnings w join animus.budget_accounts a on a.id = w.account_id where a.subject = $1',
      [name],
    );
    expect(foci).toEqual([{ focus_id: second.key.focusId }]);
  });
});

describe('without a limit', () => {
  const target = testDatabase();

  test('turns begin as ever, and nothing is written about budgets', async () => {
    const { database } = target;
    const work = await beginFocus(database);
    expect(await beginTurn(database, work.key, 1, 0)).toBe('go');
    expect(await database.query('select from animus.budget_accounts')).toEqual([]);
    await limit(database, 'faculty', faculty(), 1, { period: 'day' });
    expect(await beginTurn(database, work.key, 2, 0)).toBe('go');
  });

  test('a daemon that knows no limits gets no work to which one applies', async () => {
    const { database } = target;
    const name = faculty();
    await database.query('insert into animus.work_items (faculty) values ($1)', [name]);
    await limit(database, 'faculty', name, 1, { period: 'day' });
    const old = { max: 10, max_attempts: 5, dedup_until: 'resolved', batches: true } as const;
    expect(await claimWork(database, randomUUID(), { [name]: old }, 1, 60)).toEqual([]);
    expect(await claimWork(database, randomUUID(), { [name]: { ...old, budgets: true } }, 1, 60)).toHaveLength(1);
  });
});
