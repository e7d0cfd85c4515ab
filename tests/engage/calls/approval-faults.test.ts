/** Approvals when daemons die at every step, and when two people or two daemons act at once. */
import { describe, expect, it } from 'vitest';
import { approve, deny } from '../../../src/store/work/decide.ts';
import { askOf } from '../../support/ask-of.ts';
import { testDatabase } from '../../support/database.ts';
import { type AskingFocus, askingFocus, decisionsOf, dyingDatabase } from './approval-focus.ts';
import { callsOf } from './early-call-focus.ts';

const pg = testDatabase();

/** Runs the focus on a database on which it dies at this statement. */
async function dieAt(asking: AskingFocus, statement: string, moment: 'before' | 'after'): Promise<void> {
  const { dead, overrides } = dyingDatabase(pg.database, statement, moment);
  await expect(asking.run(overrides)).rejects.toBe(dead);
}

async function states({ calls }: AskingFocus): Promise<string[]> {
  return (await calls()).map(({ state }) => state);
}

/** From a focus that has asked: parks, is approved, is claimed by another daemon. */
async function decideAndClaim(asking: AskingFocus): Promise<void> {
  await asking.park();
  await approve(pg.database, asking.id, {});
  expect(await asking.claim()).toBe(true);
}

describe('a daemon that dies', () => {
  it('before it has asked: asks when it runs again', async () => {
    const asking = await askingFocus(pg.database);
    await dieAt(asking, 'ask_person', 'before');
    expect(await states(asking)).toEqual(['pending']);
    expect(await asking.run()).toEqual({ kind: 'parked' });
    expect(await states(asking)).toEqual(['waiting']);
  });

  it('when it has asked and not parked: the request stays, is not made again, and can be decided at once', async () => {
    const asking = await askingFocus(pg.database);
    await dieAt(asking, 'ask_person', 'after');
    const asked = () =>
      pg.database.query<{ at: Date }>('select asked_at as at from animus.inbox where work_item_id = $1', [asking.id]);
    const first = await asked();
    expect(await asking.run()).toEqual({ kind: 'parked' });
    expect(await asked()).toEqual(first);
    await approve(pg.database, asking.id, {});
    expect(await asking.park()).toBe('queued');
    await asking.claim();
    expect(await asking.run()).toMatchObject({ kind: 'done' });
    expect(asking.ran).toEqual([{ n: 1 }]);
  });

  it.each([
    { moment: 'before', idempotent: false, ran: 1, end: 'done' },
    { moment: 'after', idempotent: false, ran: 0, end: 'in_doubt' },
    { moment: 'after', idempotent: true, ran: 1, end: 'done' },
  ] as const)(
    '$moment the start of an approved call (idempotent: $idempotent): $end, and nobody is asked again',
    async ({ moment, idempotent, ran, end }) => {
      const asking = await askingFocus(pg.database, callsOf('write'), { idempotent });
      await asking.run();
      await decideAndClaim(asking);
      await dieAt(asking, 'start_call', moment);
      expect(await states(asking)).toEqual([moment === 'before' ? 'waiting' : 'started']);
      expect(await asking.run()).toMatchObject({ kind: 'done' });
      expect(asking.ran).toHaveLength(ran);
      expect(await states(asking)).toEqual([end]);
      expect(await decisionsOf(pg.database, asking.id)).toHaveLength(1);
    },
  );

  it('when a denial is on record: it is the result', async () => {
    const asking = await askingFocus(pg.database);
    await asking.run();
    await asking.park();
    await deny(pg.database, asking.id, { note: 'no' });
    await asking.claim();
    await dieAt(asking, 'begin_turn', 'before');
    expect(await asking.run()).toMatchObject({ kind: 'done' });
    expect(await states(asking)).toEqual(['denied']);
  });
});

describe('two at once', () => {
  it('two people: one decides, the other is told who did, and there is one row of it', async () => {
    const asking = await askingFocus(pg.database);
    await asking.run();
    await asking.park();
    const both = await Promise.allSettled([approve(pg.database, asking.id, {}), deny(pg.database, asking.id, {})]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const [late] = both.filter((one) => one.status === 'rejected');
    expect(late!.reason).toMatchObject({ code: 'work.state' });
    expect(await decisionsOf(pg.database, asking.id)).toHaveLength(1);
    await expect(
      approve(pg.database, asking.id, { ask: await askOf(pg.database, asking.id, 'call_1_1') }),
    ).rejects.toThrow(/has been decided: \w+ by \w+ at/);
  });

  it('two daemons: the one that has lost its lease cannot start the approved call', async () => {
    const asking = await askingFocus(pg.database);
    await asking.run();
    await decideAndClaim(asking);
    const frozen = Promise.withResolvers<void>();
    const first = asking.run({
      db: {
        ...pg.database,
        async query(sql, params) {
          if (sql.includes('animus.start_call(')) await frozen.promise;
          return pg.database.query(sql, params);
        },
      },
    });
    await pg.database.query(`update animus.work_items set lease_expires_at = now() - interval '1 s' where id = $1`, [
      asking.id,
    ]);
    expect(await asking.claim()).toBe(true);
    expect(await asking.run()).toMatchObject({ kind: 'done' });
    frozen.resolve();
    await expect(first).rejects.toMatchObject({ code: 'work.lease_lost' });
    expect(asking.ran).toEqual([{ n: 1 }]);
  });
});

describe('an approval', () => {
  /** Changes what is recorded of the call behind the engine's back. */
  const tamper = (id: string, set: string) =>
    pg.database.query(
      `update animus.tool_calls c set ${set} from animus.foci f where f.id = c.focus_id and f.work_item_id = $1`,
      [id],
    );

  it.each([
    ['another input', `input = '{"n": 666}'`],
    ['another final input', `final_input = '{"n": 666}'`],
    ['another way to write the same input', `input = '{ "n": 1 }'`],
  ])('for %s than was approved does not let the call run', async (_what, set) => {
    const asking = await askingFocus(pg.database);
    await asking.run();
    await decideAndClaim(asking);
    await tamper(asking.id, set);
    expect(await asking.run()).toMatchObject({ kind: 'done' });
    expect(asking.ran).toEqual([]);
    const [call] = await asking.calls();
    expect(call).toMatchObject({ state: 'denied' });
    expect(call!.output).toContain('nobody has approved it with this input');
  });

  it('of one turn is not one of a later turn whose call has the same id and input', async () => {
    const asking = await askingFocus(pg.database);
    await asking.run();
    await decideAndClaim(asking);
    const { focusId } = asking.focus.key;
    const [{ token }] = (await pg.database.query<{ token: string }>(
      'select lease_token as token from animus.work_items where id = $1',
      [asking.id],
    )) as [{ token: string }];
    await pg.database.query('select animus.begin_turn($1, $2, 2)', [focusId, token]);
    const call = '[{"call_id": "call_1_1", "name": "write", "input": {"n": 1}, "state": "waiting"}]';
    const answer = '{"provider": "p", "model": "m", "content": [], "stop_reason": "tool_use"}';
    await pg.database.query('select animus.record_turn($1, $2, 2, $3, $4)', [focusId, token, answer, call]);
    await expect(
      pg.database.query(`select animus.start_call($1, $2, 2, 'call_1_1')`, [focusId, token]),
    ).rejects.toThrow('nobody has approved it');
    await pg.database.query(`select animus.start_call($1, $2, 1, 'call_1_1')`, [focusId, token]);
  });

  it('with the hash of something else than waits is refused', async () => {
    const asking = await askingFocus(pg.database);
    await asking.run();
    await expect(approve(pg.database, asking.id, { hash: '00'.repeat(32) })).rejects.toThrow(
      'has changed since it was shown',
    );
    expect(await decisionsOf(pg.database, asking.id)).toEqual([]);
  });

  it('by a daemon through resolve_wait is refused', async () => {
    const asking = await askingFocus(pg.database);
    await asking.run();
    const forged = `select animus.resolve_wait($1, 'call_1_1', '{"decision": "approve"}')`;
    await expect(pg.database.query(forged, [asking.id])).rejects.toMatchObject({ code: 'work.state' });
  });

  it('of work that was cancelled, or ended, is refused', async () => {
    const asking = await askingFocus(pg.database);
    await asking.run();
    await asking.park();
    await pg.database.query('select animus.cancel_work($1)', [asking.id]);
    expect(await pg.database.query('select from animus.inbox where work_item_id = $1', [asking.id])).toEqual([]);
    await expect(approve(pg.database, asking.id, {})).rejects.toThrow(
      /no approval is open for work item .* is cancelled/,
    );
    await expect(
      approve(pg.database, asking.id, { ask: await askOf(pg.database, asking.id, 'call_1_1') }),
    ).rejects.toThrow('no longer waits');
  });

  it('of a megabyte, in any script, runs as it was written', async () => {
    const text = '𝄞 ü \\u202E " \\\\ 世界 '.repeat(45_000);
    const script = `[[answer]]\nturn = 1\ncall = [{ tool = "write", input = { text = ${JSON.stringify(text)} } }]\n[[answer]]\nturn = 2\ntext = "done"`;
    const asking = await askingFocus(pg.database, script);
    await asking.run();
    await decideAndClaim(asking);
    expect(await asking.run()).toMatchObject({ kind: 'done' });
    expect(asking.ran).toEqual([{ text }]);
  });
});
