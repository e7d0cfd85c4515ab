import { describe, expect, test } from 'vitest';
import type { CallGate } from '../../../src/engage/calls/gate.ts';
import { engage } from '../../../src/engage/loop.ts';
import { readTranscript } from '../../../src/store/transcript/transcript.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus, testTool } from '../../support/focus.ts';

const pg = testDatabase();

const SCRIPT = `
[[answer]]
turn = 1
call = [{ tool = "send", input = { to = "bob" } }]
[[answer]]
turn = 2
text = "done"
`;

/** A focus whose model calls `send` once; returns the input that the tool got, and the recorded call. */
async function play(...gates: readonly CallGate[]) {
  const sent: unknown[] = [];
  const send = testTool('send', async (input) => {
    sent.push(input);
    return { content: 'sent' };
  });
  const focus = await startTestFocus(pg.database, { script: SCRIPT, tools: [send] });
  const end = await engage(focus.means({ gates }));
  const { turns } = await readTranscript(pg.database, focus.key.focusId);
  return { end, sent, call: turns[0]!.calls[0]! };
}

describe('gates in front of a tool call', () => {
  test('a call that passes every gate runs with the input that the gates return', async () => {
    const seen: unknown[] = [];
    const look: CallGate = {
      name: 'look',
      judge: ({ input }) => {
        seen.push(input);
        return { kind: 'pass' };
      },
    };
    const rename: CallGate = { name: 'rename', judge: async () => ({ kind: 'pass', input: { to: 'eve' } }) };
    const { sent, call } = await play(look, rename, look);
    expect(seen).toEqual([{ to: 'bob' }, { to: 'eve' }]);
    expect(sent).toEqual([{ to: 'eve' }]);
    expect(call).toMatchObject({ state: 'done', output: 'sent' });
  });

  test('a denied call does not run, is recorded as denied, and the model gets the reason', async () => {
    const later: unknown[] = [];
    const deny: CallGate = { name: 'no', judge: () => ({ kind: 'deny', reason: 'bob gets no mail' }) };
    const never: CallGate = {
      name: 'never asked',
      judge: (asked) => {
        later.push(asked);
        return { kind: 'pass' };
      },
    };
    const { end, sent, call } = await play(deny, never);
    expect(sent).toEqual([]);
    expect(later).toEqual([]);
    expect(call).toMatchObject({ state: 'denied', output: 'bob gets no mail', isError: true });
    expect(end).toMatchObject({ kind: 'done' });
  });

  test('an input that a gate made invalid is refused like one from the model', async () => {
    const garble: CallGate = { name: 'garble', judge: () => ({ kind: 'pass', input: 'no object' }) };
    const { sent, call } = await play(garble);
    expect(sent).toEqual([]);
    expect(call.state).toBe('failed');
    expect(call.output).toContain('the input of send is invalid');
  });

  test('a gate that throws stops the call, and its error is reported', async () => {
    const broken: CallGate = {
      name: 'broken',
      judge: () => {
        throw new Error('the gate is broken');
      },
    };
    await expect(play(broken)).rejects.toThrow('the gate is broken');
  });
});
