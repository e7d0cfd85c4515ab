import { describe, expect, test } from 'vitest';
import { readTranscript } from '../../../src/store/transcript/transcript.ts';
import { testDatabase } from '../../support/database.ts';
import { CALL, callsOf, MODIFY, mailFocus, runEarly, SECRET } from './mail-focus.ts';

const pg = testDatabase();

describe('a hook before a call', () => {
  test('gets the call, and lets it run when it prints nothing', async () => {
    const hooked = await mailFocus(pg.database, { before_tool_call: [{ script: 'cat >> "$SEEN"' }] });
    await hooked.run();
    const [given, ran] = hooked.seen();
    expect(JSON.parse(given!)).toMatchObject({
      event: 'before_tool_call',
      turn: 1,
      call: { tool: 'send', risk: 'write', input: { to: 'bob', copies: 1 }, id: expect.any(String) },
    });
    expect(ran).toBe('send {"to":"bob","copies":1}');
    expect(await callsOf(pg.database, hooked)).toMatchObject([{ state: 'done', output: `sent to bob: ${SECRET}` }]);
  });

  test('that blocks refuses the call, by its exit code or its answer, and the model reads the reason', async () => {
    for (const said of [
      'echo "bob gets no mail" >&2; exit 2',
      `echo '{"decision":"block","reason":"bob gets no mail"}'`,
    ]) {
      const hooked = await mailFocus(pg.database, {
        before_tool_call: [{ name: 'mail', script: said }, { script: 'echo 2 >> "$SEEN"' }],
      });
      expect(await hooked.run()).toMatchObject({ kind: 'done' });
      expect(hooked.seen()).toEqual([]);
      const output = 'the hook mail refused this call: bob gets no mail';
      expect(await callsOf(pg.database, hooked)).toMatchObject([
        { state: 'denied', output, is_error: true, details: { gate: 'hooks' } },
      ]);
      expect(await hooked.runs()).toMatchObject([{ hook: 'mail', decision: 'block', reason: 'bob gets no mail' }]);
    }
  });

  test('changes the input by a merge patch; the next hook sees the change, and the model reads it', async () => {
    const hooked = await mailFocus(pg.database, {
      before_tool_call: [
        { script: MODIFY({ to: 'eve', copies: null }) },
        { script: 'grep -o \'"input":{[^}]*}\' >> "$SEEN"' },
        { script: MODIFY({ copies: 3 }) },
      ],
    });
    await hooked.run();
    expect(hooked.seen()).toEqual(['"input":{"to":"eve"}', 'send {"to":"eve","copies":3}']);
    const [call] = (await readTranscript(pg.database, hooked.focus.key.focusId)).turns[0]!.calls;
    expect(call!.input).toEqual({ to: 'bob' });
    expect(call!.output).toMatch(/^\[The input of this call was changed before it ran\. .*"eve".*\]\nsent to eve/);
  });

  test('that makes the input invalid gets the call refused like an invalid one of the model', async () => {
    const hooked = await mailFocus(pg.database, { before_tool_call: [{ script: MODIFY({ to: 5 }) }] });
    await hooked.run();
    expect(hooked.seen()).toEqual([]);
    expect(await callsOf(pg.database, hooked)).toMatchObject([
      { state: 'failed', output: expect.stringContaining('the input of send is invalid') },
    ]);
  });

  test('is judged after it: another gate sees the final input', async () => {
    const hooked = await mailFocus(pg.database, { before_tool_call: [{ script: MODIFY({ to: 'root' }) }] });
    const inputs: unknown[] = [];
    const permission = {
      name: 'permission',
      when: () => 'now' as const,
      judge: ({ input }: { readonly input: unknown }) => {
        inputs.push(input);
        const forbidden = (input as { to: string }).to === 'root';
        return forbidden ? ({ kind: 'deny', reason: 'not to root' } as const) : ({ kind: 'pass' } as const);
      },
    };
    await hooked.run({}, [permission]);
    expect(inputs.at(-1)).toEqual({ to: 'root', copies: 1 });
    expect(hooked.seen()).toEqual([]);
    expect(await callsOf(pg.database, hooked)).toMatchObject([{ state: 'denied', output: 'not to root' }]);
  });

  test('runs only for its tools, and calls of others that only read still run early', async () => {
    const hooked = await mailFocus(
      pg.database,
      { before_tool_call: [{ tools: ['se*'], script: 'echo hook >> "$SEEN"' }] },
      [CALL('read'), CALL('send')],
    );
    await runEarly(pg.database, hooked);
    const read = 'read {"to":"bob","copies":1} before the record';
    expect(hooked.seen()).toEqual([read, 'hook', 'send {"to":"bob","copies":1}']);
    expect(await callsOf(pg.database, hooked)).toMatchObject([{ state: 'done' }, { state: 'done' }]);
    expect((await hooked.runs()).map(({ hook }) => hook)).toEqual(['1']);
  });

  test('that fails refuses the call without its stderr, or is passed over if on_error says so', async () => {
    const broken = { name: 'judge.py', script: 'echo "the password is geheim" >&2; exit 1' };
    const blocking = await mailFocus(pg.database, { before_tool_call: [broken] });
    await blocking.run();
    const [call] = await callsOf(pg.database, blocking);
    expect(call).toMatchObject({ state: 'denied', is_error: true });
    expect(call!.output).toContain('the hook judge.py, which every such call has to pass, failed (hook.failed)');
    expect(call!.output).not.toContain('geheim');
    expect(blocking.log.join()).toContain('geheim');
    const allowing = await mailFocus(pg.database, { before_tool_call: [{ ...broken, onError: 'allow' }] });
    await allowing.run();
    expect(allowing.seen()).toHaveLength(1);
    expect(await allowing.runs()).toMatchObject([
      { decision: 'failed', reason: expect.stringContaining('hook.failed: ') },
    ]);
  });

  test('judges parallel calls at the same time, those of one call in order', async () => {
    // Each run of `first` waits until both have begun.
    const meet = 'echo begin >> "$SEEN"; until [ "$(grep -c begin "$SEEN")" = 2 ]; do sleep 0.02; done';
    const hooked = await mailFocus(
      pg.database,
      { before_tool_call: [{ script: meet }, { script: 'echo second >> "$SEEN"' }] },
      [CALL('send', 'a'), CALL('send', 'b')],
    );
    await hooked.run();
    const seen = hooked.seen();
    expect(seen.slice(0, 2)).toEqual(['begin', 'begin']);
    expect(seen.filter((line) => line === 'second')).toHaveLength(2);
    expect(await callsOf(pg.database, hooked)).toMatchObject([{ state: 'done' }, { state: 'done' }]);
  });

  test('adds entries to the ledger, which watchers see', async () => {
    const entry = { type: 'decision', content: 'bob may get mail' };
    const hooked = await mailFocus(pg.database, {
      before_tool_call: [{ script: `echo '${JSON.stringify({ decision: 'allow', ledger: [entry] })}'` }],
    });
    await hooked.run();
    const rows = await pg.database.query(`select entry_type, content from animus.work_ledger where work_item_id = $1`, [
      hooked.focus.key.workItemId,
    ]);
    expect(rows).toEqual([{ entry_type: 'decision', content: entry.content }]);
    expect(hooked.focus.events).toContainEqual({
      type: 'ledger',
      seq: 1,
      entryType: 'decision',
      content: entry.content,
    });
  });
});
