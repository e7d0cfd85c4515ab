/** Calls that code makes: validated, judged, recorded and run like calls of the model. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CallGate } from '../../../../src/engage/calls/gate.ts';
import { readTranscript } from '../../../../src/store/transcript/transcript.ts';
import { askHuman } from '../../../../src/tools/ask-human.ts';
import { type ToolOutput, toolError, worldTool } from '../../../../src/tools/tool.ts';
import { testDatabase } from '../../../support/database.ts';
import { testTool } from '../../../support/focus.ts';
import { codeFocus, madeCalls, resultOf, rowsOf, runFocus } from '../code-focus.ts';

const pg = testDatabase();

const echo = worldTool({
  name: 'echo',
  description: 'echoes',
  risk: 'read',
  idempotent: true,
  input: z.strictObject({ text: z.string() }),
  run: async ({ text }) => ({ content: text }),
});

describe('code', () => {
  it('gets the results of its calls, which are recorded below its own call', async () => {
    const focus = await codeFocus(
      pg.database,
      async (_nested, call) => {
        const [a, b] = await Promise.all([call('echo', { text: 'a' }), call('act', { n: 1 })]);
        const entry = await call('ledger_append', { type: 'finding', content: 'it works' });
        return `${a.content} ${b.content} ${entry.content}`;
      },
      [echo, testTool('act', async () => ({ content: 'acted' }))],
    );
    expect(await runFocus(focus)).toMatchObject({ kind: 'done' });
    const rows = await rowsOf(pg.database, focus);
    const [execution, ...made] = rows;
    expect(execution).toMatchObject({ origin: 'model', state: 'done', output: 'a acted recorded as entry 1' });
    expect(made).toMatchObject([
      {
        call_id: `${execution!.call_id}/1`,
        name: 'echo',
        origin: 'sandbox',
        state: 'done',
        output: 'a',
        input: { text: 'a' },
      },
      { name: 'act', parent_call_id: execution!.call_id, state: 'done', output: 'acted', output_bytes: 5 },
      { name: 'ledger_append', state: 'done', output: 'recorded as entry 1' },
    ]);
    const { turns } = await readTranscript(pg.database, focus.key.focusId);
    expect(turns[0]!.calls.map(({ name }) => name)).toEqual(['execute_code']);
    const ended = focus.events.filter(({ type }) => type === 'observation');
    expect(ended).toMatchObject([
      { name: 'echo', parentCallId: execution!.call_id },
      { name: 'act' },
      { name: 'ledger_append' },
      { name: 'execute_code' },
    ]);
    expect(focus.events).toContainEqual({ type: 'ledger', seq: 1, entryType: 'finding', content: 'it works' });
  });

  it('gets failures as results: an unknown tool, an invalid input, an error, a tool that waits', async () => {
    const given: ToolOutput[] = [];
    const focus = await codeFocus(
      pg.database,
      async (_nested, call) => {
        given.push(
          await call('nothing'),
          await call('echo', { txt: 1 }),
          await call('echo', 'no object'),
          await call('echo', { text: JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as unknown }),
          await call('fail'),
          await call('throw'),
          await call('ask_human', { question: 'May I?' }),
          await call('execute_code', { code: '' }),
        );
        return 'done';
      },
      [
        echo,
        askHuman,
        testTool('fail', async () => toolError('it failed')),
        testTool('throw', async () => Promise.reject(new Error('it threw'))),
      ],
    );
    await runFocus(focus);
    expect(given.map(({ isError }) => isError)).toEqual(Array.from({ length: 8 }, () => true));
    expect(given.map(({ content }) => content.slice(0, 200))).toEqual([
      expect.stringContaining('there is no tool named "nothing"'),
      expect.stringContaining('the input of echo is invalid'),
      expect.stringContaining('the input of echo is invalid'),
      expect.stringContaining('nested more than 200 levels deep'),
      'it failed',
      'throw failed: it threw',
      expect.stringContaining('ask_human waits, and code cannot wait for it'),
      expect.stringContaining('there is no tool named "execute_code"'),
    ]);
    expect(await madeCalls(pg.database, focus)).toHaveLength(8);
    expect(await pg.database.query('select from animus.waits where work_item_id = $1', [focus.key.workItemId])).toEqual(
      [],
    );
  });

  it('is told by gates what it may not do, and runs with what they change', async () => {
    const gate: CallGate = {
      name: 'gate',
      when: ({ tool }) => (tool.name === 'execute_code' ? 'now' : 'later'),
      judge({ tool, input }) {
        if (tool.name === 'act') return { kind: 'deny', reason: 'forbidden here' };
        if (tool.name === 'echo' && (input as { text: string }).text === 'ask')
          return { kind: 'ask', reason: 'rule "echo"' };
        return tool.name === 'echo' ? { kind: 'pass', input: { text: 'changed' } } : { kind: 'pass' };
      },
    };
    const given: string[] = [];
    const focus = await codeFocus(
      pg.database,
      async (_nested, call) => {
        for (const [name, input] of [
          ['act', {}],
          ['echo', { text: 'ask' }],
          ['echo', { text: 'a' }],
        ] as const) {
          given.push((await call(name, input)).content);
        }
        return 'done';
      },
      [echo, testTool('act', async () => ({ content: 'acted' }))],
    );
    await runFocus(focus, { gates: [gate] });
    expect(given).toEqual([
      'forbidden here',
      expect.stringContaining('a person has to approve this call (rule "echo")'),
      'changed',
    ]);
    const made = (await rowsOf(pg.database, focus)).slice(1);
    expect(made).toMatchObject([
      { state: 'denied', final_input: null },
      { state: 'denied', final_input: null },
      { state: 'done', input: { text: 'a' }, final_input: { text: 'changed' }, output: 'changed' },
    ]);
    const refused = await pg.database.query(
      `select call_id, tool from animus.refused_calls where work_item_id = $1 order by call_id`,
      [focus.key.workItemId],
    );
    expect(refused).toMatchObject([{ tool: 'act' }, { tool: 'echo' }]);
  });

  it('has each call recorded as started before it runs, unless it may be repeated', async () => {
    const states: string[][] = [];
    const look = async () => {
      states.push(await madeCalls(pg.database, focus));
      return { content: '' };
    };
    const focus = await codeFocus(
      pg.database,
      async (_nested, call) => {
        await call('look');
        await call('act');
        return 'done';
      },
      [testTool('look', look, true), testTool('act', look)],
    );
    await runFocus(focus);
    expect(states[0]).toEqual([]);
    expect(states[1]).toContain('2 act started');
  });

  it('closes the block when it records a step, also when the focus is resumed', async () => {
    const filler = testTool('filler', async () => ({ content: 'z'.repeat(8000) }));
    const focus = await codeFocus(
      pg.database,
      async (_nested, call) => {
        await call('ledger_append', { type: 'finding', content: 'forty-two' });
        await call('ledger_append', { type: 'step', content: 'counted' });
        return 'done';
      },
      [filler],
      `[[answer]]
turn = 1
call = [{ tool = "filler", input = {} }]
[[answer]]
turn = 2
call = [{ tool = "execute_code", input = { code = "…" } }]
[[answer]]
turn = 3
text = "done"`,
    );
    await runFocus(focus);
    const { messages, turns } = await readTranscript(pg.database, focus.key.focusId);
    const stubs = messages.filter(({ kind }) => kind === 'stub');
    expect(stubs).toMatchObject([
      { afterTurn: 2, keepsFrom: 2, content: expect.stringContaining('[completed step 1: counted]') },
    ]);
    expect(turns[1]!.calls[0]!.wrote).toEqual([
      { type: 'finding', content: 'forty-two' },
      { type: 'step', content: 'counted' },
    ]);
  });

  it('that ends stops its calls; those that may have happened are in doubt', async () => {
    const reached = Promise.withResolvers<void>();
    const hang = (_input: unknown, signal: AbortSignal) => {
      reached.resolve();
      return new Promise<ToolOutput>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    };
    let ends: unknown;
    const focus = await codeFocus(
      pg.database,
      async (nested, call) => {
        const calls = Promise.allSettled([call('act'), call('look'), call('waits')]);
        await reached.promise;
        while ((await madeCalls(pg.database, focus)).length === 0) await setImmediate();
        ends = await nested.close();
        await calls;
        await expect(call('act')).rejects.toThrow();
        return 'done';
      },
      [testTool('act', hang), testTool('look', hang, true), testTool('waits', hang)],
    );
    await runFocus(focus, { maxParallelTools: 2 });
    expect(ends).toEqual([
      { n: 1, name: 'act', state: 'in_doubt' },
      { n: 2, name: 'look', state: 'failed' },
    ]);
    expect(await madeCalls(pg.database, focus)).toEqual(['1 act in_doubt', '2 look failed']);
    expect(await resultOf(pg.database, focus)).toMatchObject({ state: 'done' });
  });
});
