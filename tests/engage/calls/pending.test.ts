/** Calls that a gate judges after their answer is recorded: pending, then started with their final input, then run. */
import { describe, expect, it } from 'vitest';
import type { CallGate, GateVerdict } from '../../../src/engage/calls/gate.ts';
import { createJournal } from '../../../src/engage/calls/journal.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { readTranscript } from '../../../src/store/transcript/transcript.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus, type TestFocus, testTool } from '../../support/focus.ts';
import { engage, type LoopParts } from '../../support/run-loop.ts';
import { callStates, callsOf, run, watched } from './early-call-focus.ts';

const pg = testDatabase();

/** A gate that judges calls of the tool `write` later, and lets every other call pass. */
function hook(judge: () => GateVerdict | Promise<GateVerdict>): CallGate {
  return {
    name: 'hook',
    when: ({ tool }) => (tool.name === 'write' ? 'later' : 'now'),
    judge: ({ tool }) => (tool.name === 'write' ? judge() : { kind: 'pass' }),
  };
}

async function plan(script: string, gates: readonly CallGate[], overrides: Partial<LoopParts> = {}) {
  const { focus, seen, afterStarts } = await watched(pg.database, script);
  const statements: string[] = [];
  const early = afterStarts(overrides.afterRun ? 0 : 1);
  const end = await run(pg.database, focus, (name) => (statements.push(name), early(name)), { gates, ...overrides });
  const written = statements.filter((name) => name !== 'read' && name !== 'start_focus');
  return { focus, seen, end, written };
}

describe('a call that a gate judges later', () => {
  it('is pending until the gate has passed it, then started, and runs with the changed input', async () => {
    let during: string[] = [];
    let focus: TestFocus | undefined;
    const gate = hook(async () => {
      during = await callStates(pg.database, focus!);
      return { kind: 'pass', input: { n: 7 } };
    });
    const ran: unknown[] = [];
    const write = testTool('write', async (input) => {
      ran.push(input, await callStates(pg.database, focus!));
      return { content: 'written' };
    });
    focus = await startTestFocus(pg.database, { script: callsOf('write'), tools: [write] });
    expect(await engage(focus.means({ gates: [gate] }))).toMatchObject({ kind: 'done' });
    expect(during).toEqual(['write pending']);
    expect(ran).toEqual([{ n: 7 }, ['write started']]);
    const [call] = (await readTranscript(pg.database, focus.key.focusId)).turns[0]!.calls;
    expect(call).toMatchObject({ input: { n: 1 }, finalInput: { n: 7 }, state: 'done' });
    expect(call!.output).toBe('[The input of this call was changed before it ran. It ran with {"n":7}]\nwritten');
  });

  it('costs one statement more; a call that the gate judges now costs none', async () => {
    const passes = hook(() => ({ kind: 'pass' }));
    const written = async (...calls: readonly string[]) => {
      const tools = [
        testTool('read', async () => ({ content: 'read' }), true),
        testTool('write', async () => ({ content: 'written' })),
      ];
      const focus = await startTestFocus(pg.database, { script: callsOf(...calls), tools });
      const statements: string[] = [];
      await run(pg.database, focus, (name) => statements.push(name), { gates: [passes] });
      return statements.filter((name) => name !== 'read');
    };
    expect(await written('read', 'read')).toEqual(['begin_turn', 'record_turn', 'record_turn']);
    const turn = ['begin_turn', 'record_turn', 'start_call', 'begin_turn', 'record_turn'];
    expect(await written('write')).toEqual(turn);
  });

  it('stops the early start of the calls after it', async () => {
    const gate: CallGate = {
      name: 'second',
      when: ({ callId }) => (callId.endsWith('2') ? 'later' : 'now'),
      judge: () => ({ kind: 'pass' }),
    };
    const { seen } = await plan(callsOf('read', 'read', 'read'), [gate]);
    expect(seen[0]).toBe('read 1 before the record');
    expect(seen.slice(1).toSorted()).toEqual(['read 2 after the record', 'read 3 after the record']);
  });

  it('is denied without having been started', async () => {
    const { focus, seen, written } = await plan(callsOf('read', 'write'), [
      hook(() => ({ kind: 'deny', reason: 'no writing' })),
    ]);
    expect(seen).toEqual(['read 1 before the record']);
    expect(written).not.toContain('start_call');
    expect(await callStates(pg.database, focus)).toEqual(['read done', 'write denied']);
  });

  it('that is invalid is not pending', async () => {
    const garbled = `[[answer]]\nturn = 1\ncall = [{ tool = "nobody" }]\n[[answer]]\nturn = 2\ntext = "done"`;
    const later: CallGate = { name: 'later', when: () => 'later', judge: () => ({ kind: 'pass' }) };
    const { focus, written } = await plan(garbled, [later], {
      afterRun: { sees: () => true, change: async (_call, output) => output },
    });
    expect(written).not.toContain('start_call');
    expect(await callStates(pg.database, focus)).toEqual(['nobody failed']);
  });
});

describe('a daemon that dies', () => {
  const dead = new Error('killed');

  /** The focus dies at a statement, before or after it; another process runs it again. Returns what the gate and the tool saw. */
  async function dieAt(statement: string, moment: 'before' | 'after', idempotent = false) {
    const seen: string[] = [];
    const gate = hook(() => {
      seen.push('gate');
      return { kind: 'pass', input: { n: 7 } };
    });
    const act = async (input: Record<string, unknown>) => {
      seen.push(`run ${String(input['n'])}`);
      return { content: 'written' };
    };
    const focus = await startTestFocus(pg.database, {
      script: callsOf('write'),
      tools: [testTool('write', act, idempotent)],
    });
    const death = new AbortController();
    const db: Database = {
      ...pg.database,
      async query(sql, params) {
        if (!sql.includes(`animus.${statement}(`)) return pg.database.query(sql, params);
        if (moment === 'after') await pg.database.query(sql, params);
        death.abort(dead);
        throw dead;
      },
    };
    const means = { db, journal: createJournal(db, focus.key), gates: [gate], signal: death.signal };
    await expect(engage(focus.means(means))).rejects.toBe(dead);
    const left = await callStates(pg.database, focus);
    expect(await engage(focus.means({ gates: [gate] }))).toMatchObject({ kind: 'done' });
    return { seen, left, calls: await callStates(pg.database, focus) };
  }

  it('while the call is pending: it is judged again, runs once, and is not in doubt', async () => {
    const before = await dieAt('start_call', 'before');
    expect(before).toEqual({ seen: ['gate', 'gate', 'run 7'], left: ['write pending'], calls: ['write done'] });
    const recorded = await dieAt('record_turn', 'after');
    expect(recorded).toEqual({ seen: ['gate', 'run 7'], left: ['write pending'], calls: ['write done'] });
  });

  it('once it was started: it is in doubt, or runs again with the same input and without the hook', async () => {
    const inDoubt = await dieAt('start_call', 'after');
    expect(inDoubt).toEqual({ seen: ['gate'], left: ['write started'], calls: ['write in_doubt'] });
    const again = await dieAt('start_call', 'after', true);
    expect(again).toEqual({ seen: ['gate', 'run 7'], left: ['write started'], calls: ['write done'] });
  });
});

describe('what changes results', () => {
  const censor = (seen: unknown[]): Partial<LoopParts> => ({
    afterRun: {
      sees: ({ name }) => name !== 'glance',
      async change({ tool, input, callId }, { content }) {
        seen.push([tool.name, input, callId !== '', content]);
        return { content: content.replace('write', '***'), details: { censored: true } };
      },
    },
  });

  it('sees results before they are recorded, and starts no call before its answer is', async () => {
    const seen: unknown[] = [];
    const { focus, seen: starts } = await plan(callsOf('read', 'write'), [], censor(seen));
    expect(starts.toSorted()).toEqual(['read 1 after the record', 'write 2 after the record']);
    expect(seen.toSorted()).toEqual([
      ['read', { n: 1 }, true, 'read 1'],
      ['write', { n: 2 }, true, 'write 2'],
    ]);
    const { turns } = await readTranscript(pg.database, focus.key.focusId);
    expect(turns[0]!.calls.map(({ output }) => output)).toEqual(['read 1', '*** 2']);
  });

  it('sees failures, and not the results of database tools', async () => {
    const seen: unknown[] = [];
    const script = `
[[answer]]
turn = 1
call = [{ tool = "fail", input = {} }, { tool = "ledger_append", input = { type = "note", content = "write" } }]
[[answer]]
turn = 2
text = "done"`;
    const fail = testTool('fail', async () => Promise.reject(new Error('cannot write')));
    const focus = await startTestFocus(pg.database, { script, tools: [fail] });
    await engage(focus.means(censor(seen)));
    expect(seen).toEqual([['fail', {}, true, 'fail failed: cannot write']]);
    expect(await callStates(pg.database, focus)).toEqual(['fail done', 'ledger_append done']);
  });
});
