import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { CallGate } from '../../../src/engage/calls/gate.ts';
import type { LlmClient } from '../../../src/llm/client.ts';
import { readTranscript } from '../../../src/store/transcript/transcript.ts';
import { worldTool } from '../../../src/tools/tool.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus, testTool } from '../../support/focus.ts';
import { engage } from '../../support/run-loop.ts';

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
      when: () => 'now',
      judge: ({ input }) => {
        seen.push(input);
        return { kind: 'pass' };
      },
    };
    const rename: CallGate = {
      name: 'rename',
      when: () => 'now',
      judge: async () => ({ kind: 'pass', input: { to: 'eve' } }),
    };
    const { sent, call } = await play(look, rename, look);
    // Judged once to decide whether the call is pending, and once before it runs.
    expect(seen).toEqual([{ to: 'bob' }, { to: 'eve' }, { to: 'bob' }, { to: 'eve' }]);
    expect(sent).toEqual([{ to: 'eve' }]);
    expect(call).toMatchObject({ state: 'done', finalInput: { to: 'eve' } });
    expect(call.output).toBe('[The input of this call was changed before it ran. It ran with {"to":"eve"}]\nsent');
  });

  test('a denied call does not run, is recorded as denied, and the model gets the reason', async () => {
    const later: unknown[] = [];
    const deny: CallGate = {
      name: 'no',
      when: () => 'now',
      judge: () => ({ kind: 'deny', reason: 'bob gets no mail' }),
    };
    const never: CallGate = {
      name: 'never asked',
      when: () => 'now',
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
    const garble: CallGate = { name: 'garble', when: () => 'now', judge: () => ({ kind: 'pass', input: 'no object' }) };
    const { sent, call } = await play(garble);
    expect(sent).toEqual([]);
    expect(call.state).toBe('failed');
    expect(call.output).toContain('the input of send is invalid');
  });

  test('a gate that throws stops the call, and its error is reported', async () => {
    const broken: CallGate = {
      name: 'broken',
      when: () => 'now',
      judge: () => {
        throw new Error('the gate is broken');
      },
    };
    await expect(play(broken)).rejects.toThrow('the gate is broken');
  });
});

test('null for an input that may be left out counts as left out, and for one that may not it is still wrong', async () => {
  const got: unknown[] = [];
  const find = worldTool({
    name: 'find',
    description: 'find',
    risk: 'read',
    idempotent: true,
    input: z.strictObject({
      what: z.string(),
      where: z.object({ path: z.string().optional() }),
      limit: z.int().default(5),
    }),
    run: async (input) => {
      got.push(input);
      return { content: 'found' };
    },
  });
  const script = `
[[answer]]
call = [{ tool = "find", input = { what = "x", where = { path = "NULL" }, limit = "NULL" } }, { tool = "find", input = { what = "NULL" } }]
[[answer]]
text = "done"
`;
  const focus = await startTestFocus(pg.database, { script, tools: [find] });
  const { model, ...means } = focus.means();
  await engage({ ...means, model: { ...model, client: withNulls(model.client) } });
  expect(got).toEqual([{ what: 'x', where: {}, limit: 5 }]);
  const { turns } = await readTranscript(pg.database, focus.key.focusId);
  expect(turns[0]!.calls[0]!.input).toEqual({ what: 'x', where: { path: null }, limit: null });
  expect(turns[0]!.calls[1]!.output).toContain('expected string, received null');
});

/** TOML has no null, so the script says NULL. */
function withNulls(client: LlmClient): LlmClient {
  return {
    async complete(request, options) {
      const result = await client.complete(request, options);
      return JSON.parse(JSON.stringify(result).replaceAll('"NULL"', 'null')) as typeof result;
    },
  };
}
