// Also on the wire responses.
/** Sealed reasoning in the history of a focus: only Responses has it. */
import { describe, expect, it } from 'vitest';
import { inputPressure } from '../../../src/engage/context/pressure.ts';
import { textOf } from '../../../src/engage/turn/text-of.ts';
import { testDatabase } from '../../support/database.ts';
import { type AnthropicAnswer, text, toolUse } from '../../support/model-server/anthropic.ts';
import { WIRE } from '../../support/model-server/either-wire.ts';
import { beginFocus } from '../live-focus.ts';

type Json = Record<string, unknown>;

/** Three turns of a block each: the third closes it. */
function answers(turns: number): AnthropicAnswer[] {
  const list = Array.from({ length: turns }, (_, index) => ({
    content: [
      text(`Turn ${index + 1}.`),
      toolUse(`a${index}`, 'look', { name: `thing ${index}` }),
      ...(index % 3 === 2 ? [toolUse(`s${index}`, 'ledger_append', { type: 'step', content: 'done' })] : []),
    ],
  }));
  return [...list, { content: [text('All done.')] }];
}

describe.runIf(WIRE === 'responses')('reasoning', () => {
  const pg = testDatabase();

  it('stands before what it led to in every request, and goes with its block', async () => {
    const focus = await beginFocus(pg.database, answers(9));
    expect(await focus.run()).toMatchObject({ kind: 'done', finalText: 'All done.' });
    const shapes = focus.bodies().map(({ input }) => (input as Json[]).map(shapeOf).join(' '));
    const turn = 'reasoning assistant function_call function_call_output';
    const closing = 'reasoning assistant function_call function_call function_call_output function_call_output';
    const block = ['user', `user ${turn}`, `user ${turn} ${turn}`];
    // The turn that closes a block opens the next one.
    const next = [`user ${closing}`, `user ${closing} ${turn}`, `user ${closing} ${turn} ${turn}`];
    expect(shapes.map(withOneUser)).toEqual([...block, ...next, ...next, `user ${closing}`]);
  });
});

/** Texts of the user in a row are one message or several: that is not what is tested here. */
function withOneUser(shape: string): string {
  return shape.replaceAll(/user( user)+/g, 'user');
}

function shapeOf(item: Json): string {
  return String(item['type'] === 'message' ? item['role'] : item['type']);
}

describe('an answer with sealed reasoning', () => {
  const from = { provider: 'p', model: 'm' };
  const thought = (sealed: string) => ({
    type: 'thinking' as const,
    text: '',
    item: { type: 'reasoning', summary: [], encrypted_content: sealed },
    ...from,
  });

  it('is counted by its length, because the next request carries it', () => {
    const pressure = (sealed: string) => {
      const content = [thought(sealed), { type: 'text' as const, text: 'ok' }];
      const turn = { turn: 1, content, calls: [], stopReason: 'end_turn', inputTokens: null, outputTokens: null };
      const transcript = { turns: [turn], messages: [], outputs: new Map() } as never;
      return inputPressure(transcript, { systemPrompt: '', toolSpecs: [] });
    };
    // 7,000 characters of base64 stand for 5,250 bytes, which are 1,500 tokens.
    expect(pressure('x'.repeat(7000)) - pressure('')).toBe(1500);
  });

  it('says its final answer, and its commentary only where there is nothing else', () => {
    const commentary = { type: 'text' as const, text: 'I look.', phase: 'commentary' };
    const final = { type: 'text' as const, text: '{"ok":true}', phase: 'final_answer' };
    expect(textOf({ content: [commentary, final] })).toBe('{"ok":true}');
    expect(textOf({ content: [commentary] })).toBe('I look.');
    expect(
      textOf({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }),
    ).toBe('ab');
  });
});
