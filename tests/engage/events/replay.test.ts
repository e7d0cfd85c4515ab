import { describe, expect, it } from 'vitest';
import { createReplay, type TimedEvent } from '../../../src/engage/events/replay.ts';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { finishToolCalls, startCall } from '../../../src/store/transcript/calls.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { readProgress } from '../../../src/store/transcript/progress.ts';
import { openWait, parkWork, resolveWait } from '../../../src/store/transcript/waits.ts';
import { approve } from '../../../src/store/work/decide.ts';
import { completeWork, failWork } from '../../../src/store/work/work.ts';
import { beginFocus, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';

describe('the events of an item, rebuilt from the tables', () => {
  const pg = testDatabase();

  it('of a call that waits for a person: it is counted while it is pending, waits, starts and ends', async () => {
    const db = pg.database;
    const work = await beginFocus(db);
    const live = follower(work.id);
    await db.query('select animus.begin_turn($1, $2, 1)', [work.key.focusId, work.leaseToken]);
    const usage = '{"input": 7, "output": 2, "estimated": true}';
    const answer = `{"provider": "p", "model": "m", "content": [], "stop_reason": "tool_use", "usage": ${usage}}`;
    const call = '[{"call_id": "a", "name": "bash", "input": {"n": 1}, "state": "pending"}]';
    await db.query('select animus.record_turn($1, $2, 1, $3, $4)', [work.key.focusId, work.leaseToken, answer, call]);
    const [, recorded] = (await live.look()).slice(-2);
    expect(recorded).toMatchObject({ type: 'turn_recorded', calls: 1, inputTokens: 7, estimated: true });
    const asks = { subject: 'tool_call', request: { reason: 'x' }, seconds: 60 } as const;
    await askPerson(db, work.key, 1, 'a', 'approval', asks);
    await live.look();
    await approve(db, work.id, { input: '{"n": 2}' });
    await startCall(db, work.key, 1, 'a', null);
    await live.look();
    await end(work, 1, 'a');
    const all = await live.look();
    expect(all.map(gist).slice(2)).toEqual(['turn_recorded 1', 'waiting a', 'tool_started a', 'tool_ended a']);
    expect(all.find(({ type }) => type === 'tool_started')).toMatchObject({ input: { n: 2 } });
    expect((await follower(work.id).look()).map(gist)).toEqual(all.map(gist));
  });

  it('are the same for a live reader, a late reader and one that polls now and then', async () => {
    const db = pg.database;
    const work = await beginFocus(db);
    const live = follower(work.id);
    const rare = follower(work.id);
    await live.look();
    await recordCalls(db, work, 1, ['a', 'b']);
    await live.look();
    await end(work, 1, 'a');
    await rare.look();
    await live.look();
    await appendLedger(db, work.id, 'finding', 'half of it', { leaseToken: work.leaseToken });
    await live.look();
    await openWait(db, work.key, 1, 'b', { kind: 'timer', deadline: new Date(Date.now() + 60_000) });
    await live.look();
    await parkWork(db, work);
    await live.look();
    await resolveWait(db, work.id, 'b', { due: true });
    const woken = await beginFocus(db, { id: work.id });
    await live.look();
    await end(woken, 1, 'b');
    await rare.look();
    await failWork(db, woken, { code: 'x', message: 'it broke' }, 0);
    await live.look();
    const second = await beginFocus(db, { id: work.id });
    await recordCalls(db, second, 1, ['a']);
    await live.look();
    await end(second, 1, 'a');
    await completeWork(db, second, {}, null);
    const all = [await live.look(), await rare.look(), await follower(work.id).look()];

    expect(all[0]!.map(gist)).toEqual([
      'focus_started 1',
      'turn_started 1',
      'turn_recorded 1',
      'tool_started a',
      'tool_started b',
      'tool_ended a',
      'ledger 1',
      'waiting b',
      'focus_started 1 resumed',
      'tool_ended b',
      'focus_ended failed',
      'focus_started 2',
      'turn_started 1',
      'turn_recorded 1',
      'tool_started a',
      'tool_ended a',
      'focus_ended completed',
      'ended completed',
    ]);
    for (const events of all) expect(events.map(gist).toSorted()).toEqual(all[0]!.map(gist).toSorted());
    expect(all[0]!.find((event) => event.type === 'focus_ended')).toMatchObject({ reason: 'it broke' });
  });

  it('are not read again once they are reported', async () => {
    const work = await beginFocus(pg.database);
    const replay = createReplay();
    const look = async () => {
      const progress = await readProgress(pg.database, work.id, replay.cursor);
      return [progress, replay.take(progress)] as const;
    };
    for (let turn = 1; turn <= 5; turn++) {
      await recordCalls(pg.database, work, turn, ['c']);
      await end(work, turn, 'c');
    }
    const [, first] = await look();
    expect(first).toHaveLength(1 + 5 * 4);
    const [progress, again] = await look();
    expect(again).toEqual([]);
    expect(progress.turns).toEqual([]);
    expect(progress.calls).toEqual([]);
  });

  function follower(id: string) {
    const replay = createReplay();
    const told: TimedEvent[] = [];
    return {
      async look(): Promise<TimedEvent[]> {
        told.push(...replay.take(await readProgress(pg.database, id, replay.cursor)));
        return told;
      },
    };
  }

  function end(work: Awaited<ReturnType<typeof beginFocus>>, turn: number, callId: string): Promise<number> {
    const result = { turn, callId, state: 'done', output: 'ok', isError: false, details: null, durationMs: 1 } as const;
    return finishToolCalls(pg.database, work.key, [result]);
  }
});

function gist(event: TimedEvent): string {
  switch (event.type) {
    case 'focus_started':
      return `focus_started ${event.number}${event.resumed ? ' resumed' : ''}`;
    case 'turn_started':
    case 'turn_recorded':
      return `${event.type} ${event.turn}`;
    case 'tool_started':
    case 'tool_ended':
    case 'waiting':
      return `${event.type} ${event.callId}`;
    case 'ledger':
      return `ledger ${event.seq}`;
    case 'focus_ended':
      return `focus_ended ${event.endedAs}`;
    case 'ended':
      return `ended ${event.state}`;
    default:
      return event.type;
  }
}
