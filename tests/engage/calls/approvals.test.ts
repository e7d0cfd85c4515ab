/** Calls that a person has to approve: asked, parked, decided, run once. */
import { describe, expect, it } from 'vitest';
import type { CallGate } from '../../../src/engage/calls/gate.ts';
import { FAILURE_NOTICE } from '../../../src/engage/verdict/attempt.ts';
import { readRunningMs } from '../../../src/store/transcript/focus-row.ts';
import { approve, deny } from '../../../src/store/work/decide.ts';
import { askOf } from '../../support/ask-of.ts';
import { testDatabase } from '../../support/database.ts';
import { testTool } from '../../support/focus.ts';
import { askingFocus, asks, decisionsOf } from './approval-focus.ts';
import { callsOf } from './early-call-focus.ts';

const pg = testDatabase();

const inbox = (id: string) =>
  pg.database.query<{ call_id: string; hash: string; request: unknown }>(
    `select call_id, subject, kind, request, hash, extract(epoch from deadline - asked_at)::int as seconds, turn
       from animus.inbox where work_item_id = $1`,
    [id],
  );

describe('a call that a rule asks about', () => {
  it('waits in the inbox, with its deadline, and parks the focus; what needs nobody runs', async () => {
    const { run, park, ran, id, calls } = await askingFocus(pg.database, callsOf('read', 'write'));
    expect(await run()).toEqual({ kind: 'parked' });
    expect(await park()).toBe('waiting');
    expect(ran).toEqual([]);
    expect(await calls()).toMatchObject([{ state: 'done' }, { state: 'waiting' }]);
    const request = { tool: 'write', input: { n: 2 }, reason: 'the rule write = "ask"', gate: 'permissions' };
    expect(await inbox(id)).toMatchObject([
      { call_id: 'call_1_2', subject: 'tool_call', kind: 'approval', request, seconds: 86_400, turn: 1 },
    ]);
  });

  it('runs once it is approved, with a new lease, and the inbox is empty', async () => {
    const { run, park, claim, ran, id, calls } = await askingFocus(pg.database);
    await run();
    await park();
    expect(await claim()).toBe(false);
    const [asked] = await inbox(id);
    expect(await approve(pg.database, id, { hash: asked!.hash, note: 'go on' })).toBe(
      await askOf(pg.database, id, 'call_1_1'),
    );
    expect(await inbox(id)).toEqual([]);
    expect(await claim()).toBe(true);
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(ran).toEqual([{ n: 1 }]);
    expect(await calls()).toMatchObject([{ state: 'done', output: 'written', finalInput: null }]);
    expect(await decisionsOf(pg.database, id)).toEqual([`approve call_1_1 ${asked!.hash.slice(0, 6)}`]);
  });

  it('takes nothing from the running time of the focus while it waits, also if it never runs', async () => {
    const { run, park, claim, focus, id } = await askingFocus(pg.database);
    await run();
    await park();
    await pg.database.query(
      `update animus.waits set created_at = created_at - interval '1 hour' where work_item_id = $1`,
      [id],
    );
    await deny(pg.database, id, {});
    await claim();
    await run();
    expect(await readRunningMs(pg.database, focus.key.focusId, FAILURE_NOTICE)).toBeLessThan(60_000);
  });

  it('runs in the same process if it is approved while other calls still run', async () => {
    const { run, ran, id } = await askingFocus(pg.database, callsOf('write', 'write'));
    const opened: string[] = [];
    const over = run({
      onEvent: (event) => void (event.type === 'waiting' && opened.push(event.callId)),
      db: {
        ...pg.database,
        async query(sql, params) {
          const rows = await pg.database.query(sql, params);
          if (sql.includes('animus.ask_person(') && opened.length === 1) {
            for (const call of ['call_1_1', 'call_1_2'])
              await approve(pg.database, id, { ask: await askOf(pg.database, id, call) });
          }
          return rows as never;
        },
      },
    });
    expect(await over).toMatchObject({ kind: 'done' });
    expect(new Set(ran)).toEqual(new Set([{ n: 1 }, { n: 2 }]));
  });

  it('is denied with the name of the person and the note', async () => {
    const { run, park, claim, ran, id, calls } = await askingFocus(pg.database);
    await run();
    await park();
    await deny(pg.database, id, { note: 'not on a Friday' });
    await claim();
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(ran).toEqual([]);
    const [call] = await calls();
    expect(call).toMatchObject({ state: 'denied', isError: true });
    expect(call!.output).toMatch(
      /^\S+ denied this call at 20\S+Z\. It did not run\. The reason given: not on a Friday$/,
    );
  });

  it('runs with the input that the person put in its place, and the model learns of it', async () => {
    const { run, park, claim, ran, id, calls } = await askingFocus(pg.database);
    await run();
    await park();
    await approve(pg.database, id, { input: '{"n": 9, "text": "ü\\ud83d\\ude00"}' });
    await claim();
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(ran).toEqual([{ n: 9, text: 'ü😀' }]);
    const [call] = await calls();
    expect(call).toMatchObject({ input: { n: 1 }, finalInput: { n: 9, text: 'ü😀' } });
    expect(call!.output).toBe(
      '[The input of this call was changed before it ran. It ran with {"n":9,"text":"ü😀"}]\nwritten',
    );
    const decisions = await decisionsOf(pg.database, id);
    expect(decisions.map((line) => line.split(' ')[0])).toEqual(['edit', 'approve']);
    expect(new Set(decisions.map((line) => line.split(' ')[2])).size).toBe(2);
  });

  it('of several in a turn: each is decided by itself, and the item wakes with the last', async () => {
    const { run, park, claim, ran, id, calls } = await askingFocus(pg.database, callsOf('write', 'write', 'write'));
    await run();
    await park();
    await expect(approve(pg.database, id, {})).rejects.toMatchObject({ code: 'work.invalid' });
    await approve(pg.database, id, { ask: await askOf(pg.database, id, 'call_1_3') });
    await deny(pg.database, id, { ask: await askOf(pg.database, id, 'call_1_1') });
    expect(await claim()).toBe(false);
    await approve(pg.database, id, {});
    expect(await claim()).toBe(true);
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(new Set(ran)).toEqual(new Set([{ n: 2 }, { n: 3 }]));
    expect((await calls()).map(({ state }) => state)).toEqual(['denied', 'done', 'done']);
  });

  it('is denied at its deadline, and an approval after that is refused', async () => {
    const soon: CallGate = { ...asks, judge: () => ({ kind: 'ask', reason: 'x', deadlineSeconds: 0.001 }) };
    const { run, park, claim, ran, id, calls } = await askingFocus(pg.database, callsOf('write'), { gates: [soon] });
    await run();
    await park();
    await expect(approve(pg.database, id, {})).rejects.toThrow(/the deadline of request .* has passed/);
    await pg.database.query('select animus.resolve_due_waits(10)');
    await expect(approve(pg.database, id, { ask: await askOf(pg.database, id, 'call_1_1') })).rejects.toThrow(
      'no longer waits',
    );
    await claim();
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(ran).toEqual([]);
    expect((await calls())[0]).toMatchObject({ state: 'denied' });
    expect((await calls())[0]!.output).toContain('nobody decided until its deadline');
  });

  it('beside a timer: wakes when both are over', async () => {
    const script = `
[[answer]]
turn = 1
call = [{ tool = "write", input = { n = 1 } }, { tool = "timer", input = {} }]
[[answer]]
turn = 2
text = "done"`;
    const timer = testTool('timer', async () => ({
      content: 'waits',
      wait: { kind: 'timer', deadline: new Date(Date.now() - 1000) },
    }));
    const { run, park, claim, ran, id } = await askingFocus(pg.database, script, { tools: [timer] });
    await run();
    expect(await park()).toBe('waiting');
    await pg.database.query('select animus.resolve_due_waits(10)');
    expect(await claim()).toBe(false);
    await approve(pg.database, id, {});
    expect(await claim()).toBe(true);
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(ran).toEqual([{ n: 1 }]);
  });

  it('is forbidden by a rule that was made while it waited', async () => {
    const forbids: CallGate = { ...asks, judge: () => ({ kind: 'deny', reason: 'forbidden since today' }) };
    const { run, park, claim, ran, id, calls } = await askingFocus(pg.database);
    await run();
    await park();
    await approve(pg.database, id, {});
    await claim();
    expect(await run({ gates: [forbids] })).toMatchObject({ kind: 'done' });
    expect(ran).toEqual([]);
    expect((await calls())[0]).toMatchObject({ state: 'denied', output: 'forbidden since today' });
  });

  it('of a tool that the faculty has lost meanwhile is an error', async () => {
    const { run, park, claim, id, calls, focus } = await askingFocus(pg.database);
    await run();
    await park();
    await approve(pg.database, id, {});
    await claim();
    const toolset = new Map([...focus.means().toolset].filter(([name]) => name !== 'write'));
    expect(await run({ toolset })).toMatchObject({ kind: 'done' });
    expect((await calls())[0]!.output).toContain('there is no tool named "write"');
  });

  it('is not run again by hooks once it was approved', async () => {
    const seen: string[] = [];
    const hook: CallGate = {
      name: 'hook',
      when: () => 'later',
      judge() {
        seen.push('hook');
        return { kind: 'pass', input: { n: 5 } };
      },
    };
    const { run, park, claim, ran, id, calls } = await askingFocus(pg.database, callsOf('write'), {
      gates: [hook, asks],
    });
    await run();
    await park();
    expect(await inbox(id)).toMatchObject([{ request: { tool: 'write', input: { n: 5 } } }]);
    await approve(pg.database, id, {});
    await claim();
    expect(await run()).toMatchObject({ kind: 'done' });
    expect({ seen, ran }).toEqual({ seen: ['hook'], ran: [{ n: 5 }] });
    expect((await calls())[0]).toMatchObject({ input: { n: 1 }, finalInput: { n: 5 } });
  });

  it('is denied at once where nobody can be asked', async () => {
    const { run, ran, calls } = await askingFocus(pg.database);
    expect(await run({ unattended: true })).toMatchObject({ kind: 'done' });
    expect(ran).toEqual([]);
    expect((await calls())[0]!.output).toContain('nobody can be asked in this run');
  });
});
