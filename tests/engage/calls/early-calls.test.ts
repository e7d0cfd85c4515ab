/** Calls that only read run while their answer is on its way to the disk; all others wait until it is recorded. */
import { describe, expect, it } from 'vitest';
import type { CallGate } from '../../../src/engage/calls/gate.ts';
import { createJournal } from '../../../src/engage/calls/journal.ts';
import type { LlmClient, LlmRequest } from '../../../src/llm/client.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus, testTool } from '../../support/focus.ts';
import { engage } from '../../support/run-loop.ts';
import { callStates, callsOf, run, watched } from './early-call-focus.ts';

const pg = testDatabase();

describe('a call that only reads', () => {
  it('costs one statement a turn, with the beginning of the next turn', async () => {
    const read = testTool('read', async (input) => ({ content: `read ${String(input['n'])}` }), true);
    const turns = [1, 2, 3].map(
      (n) => `[[answer]]\nturn = ${n}\ncall = [{ tool = "read", input = { n = ${n} } }, { tool = "read" }]`,
    );
    const script = [...turns, '[[answer]]\nturn = 4\ntext = "done"'].join('\n');
    const focus = await startTestFocus(pg.database, { script, tools: [read] });
    const statements: string[] = [];
    expect(await run(pg.database, focus, (name) => statements.push(name))).toMatchObject({ kind: 'done' });
    const whole = Array.from({ length: 3 }, () => 'record_turn');
    expect(statements.filter((name) => name !== 'read')).toEqual(['begin_turn', ...whole, 'record_turn']);
    expect(await callStates(pg.database, focus)).toEqual(Array.from({ length: 6 }, () => 'read done'));
    const events = focus.events.map(({ type }) => type).filter((type) => type !== 'text');
    expect(events.slice(0, 6)).toEqual(['asked', 'turn', 'call', 'call', 'observation', 'observation']);
  });

  it('runs before its answer is recorded, and is recorded with its times and size', async () => {
    const { focus, seen, afterStarts } = await watched(pg.database, callsOf('read', 'read'));
    expect(await run(pg.database, focus, afterStarts(2))).toMatchObject({ kind: 'done' });
    expect(seen).toEqual(['read 1 before the record', 'read 2 before the record']);
    const rows = await pg.database.query(
      `select output, output_bytes, is_error, duration_ms > 0 as ran, started_at < ended_at as lasted, details
         from animus.tool_calls where focus_id = $1 order by position`,
      [focus.key.focusId],
    );
    const same = { output_bytes: 6, is_error: false, ran: true, lasted: true, details: null };
    expect(rows).toEqual([
      { output: 'read 1', ...same },
      { output: 'read 2', ...same },
    ]);
  });

  it('does not delay the record of its answer when it takes long', async () => {
    const recorded = Promise.withResolvers<void>();
    const slow = testTool('slow', () => recorded.promise.then(() => ({ content: 'slow' })), true);
    const focus = await startTestFocus(pg.database, { script: callsOf('slow'), tools: [slow] });
    const statements: string[] = [];
    const end = run(pg.database, focus, async (name) => {
      statements.push(name);
      if (name === 'record_turn') recorded.resolve();
    });
    expect(await end).toMatchObject({ kind: 'done' });
    expect(statements.filter((name) => name !== 'read')).toEqual([
      'begin_turn',
      'record_turn',
      'begin_turn',
      'record_turn',
    ]);
    expect(await callStates(pg.database, focus)).toEqual(['slow done']);
  });

  it('that fails or is invalid is a result, like that of any call', async () => {
    const fail = testTool('fail', async () => Promise.reject(new Error('no such file')), true);
    const focus = await startTestFocus(pg.database, { script: callsOf('fail'), tools: [fail] });
    expect(await run(pg.database, focus, () => {})).toMatchObject({ kind: 'done' });
    const rows = await pg.database.query(`select state, output, is_error from animus.tool_calls where focus_id = $1`, [
      focus.key.focusId,
    ]);
    expect(rows).toEqual([{ state: 'failed', output: 'fail failed: no such file', is_error: true }]);
  });

  it('waits for a gate that judges later', async () => {
    const verdicts = async (when: 'now' | 'later') => {
      const { focus, seen, afterStarts } = await watched(pg.database, callsOf('read'));
      const gate: CallGate = { name: 'gate', when: () => when, judge: () => ({ kind: 'pass' }) };
      await run(pg.database, focus, afterStarts(when === 'now' ? 1 : 0), { gates: [gate] });
      return seen;
    };
    expect(await verdicts('now')).toEqual(['read 1 before the record']);
    expect(await verdicts('later')).toEqual(['read 1 after the record']);
  });

  it('is denied by a gate as any other call', async () => {
    const { focus, seen } = await watched(pg.database, callsOf('read'));
    const gate: CallGate = { name: 'no', when: () => 'now', judge: () => ({ kind: 'deny', reason: 'not today' }) };
    expect(await run(pg.database, focus, () => {}, { gates: [gate] })).toMatchObject({ kind: 'done' });
    expect(seen).toEqual([]);
    expect(await callStates(pg.database, focus)).toEqual(['read denied']);
  });
});

describe('beside a call that writes', () => {
  it('the reads before it start early; the write, and the reads after it, wait for the record', async () => {
    const { focus, seen, afterStarts } = await watched(pg.database, callsOf('read', 'write', 'read'));
    expect(await run(pg.database, focus, afterStarts(1))).toMatchObject({ kind: 'done' });
    expect(seen[0]).toBe('read 1 before the record');
    expect(seen.slice(1).toSorted()).toEqual(['read 3 after the record', 'write 2 after the record']);
    expect(await callStates(pg.database, focus)).toEqual(['read done', 'write done', 'read done']);
  });

  it('all calls of the turn share its slots', async () => {
    let running = 0;
    let most = 0;
    const count = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running -= 1;
      return { content: 'counted' };
    };
    const focus = await startTestFocus(pg.database, {
      script: callsOf('read', 'read', 'read', 'write', 'write'),
      tools: [testTool('read', count, true), testTool('write', count)],
    });
    expect(await run(pg.database, focus, () => {}, { maxParallelTools: 2 })).toMatchObject({ kind: 'done' });
    expect(most).toBe(2);
  });
});

describe('the beginning of the next turn', () => {
  const read = testTool('read', async () => ({ content: 'read' }), true);

  it('is refused with the record when the work was cancelled or paused; the answer and its calls are kept', async () => {
    for (const [sql, expected] of [
      [`select animus.cancel_work($1, 'not needed')`, { kind: 'cancelled' }],
      [
        `select animus.pause(faculty, 'for a test') from animus.work_items where id = $1`,
        { kind: 'interrupted', reason: 'paused' },
      ],
    ] as const) {
      const focus = await startTestFocus(pg.database, { script: callsOf('read'), tools: [read] });
      const end = run(pg.database, focus, async (name) => {
        if (name === 'record_turn') await pg.database.query(sql, [focus.key.workItemId]);
      });
      expect(await end).toEqual(expected);
      expect(await callStates(pg.database, focus)).toEqual(['read done']);
    }
  });

  it('has its request written while its record is on its way, and sent after it', async () => {
    const focus = await startTestFocus(pg.database, { script: callsOf('read'), tools: [read] });
    const { model } = focus.means();
    const prepared: LlmRequest[] = [];
    const asked: LlmRequest[] = [];
    let begun = 0;
    const client: LlmClient = {
      prepare: (request) => void prepared.push(request),
      complete(request, options) {
        asked.push(request);
        expect(begun).toBe(request.turn);
        return model.client.complete(request, options);
      },
    };
    const db: Database = {
      ...pg.database,
      async query(sql, params) {
        const rows = await pg.database.query<never>(sql, params);
        // The first turn is begun by itself, the second one with the record of the first; nothing follows the third record.
        if (!/begin_turn|record_turn/.test(sql) || begun === 2) return rows;
        while (prepared.length === begun) await new Promise((resolve) => setImmediate(resolve));
        begun += 1;
        return rows;
      },
    };
    const means = focus.means({ db, journal: createJournal(db, focus.key), model: { ...model, client } });
    expect(await engage(means)).toMatchObject({ kind: 'done' });
    expect(prepared).toEqual(asked);
    for (const [index, { messages }] of asked.entries()) expect(messages).toBe(prepared[index]!.messages);
  });

  it('is not recorded where the loop ends after the turn, or says something before the next one', async () => {
    const ends = await startTestFocus(pg.database, { script: callsOf('read'), tools: [read] });
    const statements: string[] = [];
    await run(pg.database, ends, (name) => statements.push(name), { maxTurns: 1 });
    expect(statements.filter((name) => name !== 'read')).toEqual(['begin_turn', 'record_turn', 'finish_tool_calls']);
  });
});
