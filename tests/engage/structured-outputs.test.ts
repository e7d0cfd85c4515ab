// Also on the wires openai, responses.
/** Outcomes held to a schema by the provider, on the wire: what is sent when, and the same after a crash at any turn. */
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';
import type { AnthropicAnswer } from '../support/model-server/anthropic.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { WIRE } from '../support/model-server/either-wire.ts';
import { beginFocus, type LiveFocus, type LiveFocusOptions } from './live-focus.ts';

type Json = Record<string, unknown>;

const SCHEMA = {
  type: 'object',
  properties: { fixed: { type: 'boolean' }, note: { type: 'string', minLength: 2 } },
  required: ['fixed'],
};

const look = (id: string): AnthropicAnswer => ({ content: [toolUse(id, 'look', { name: id })] });
const says = (value: string): AnthropicAnswer => ({ content: [text(value)] });

const pg = testDatabase();

describe('a model that holds a schema beside tools', () => {
  it('gets it in every request, and null for what is left out is not a mistake', async () => {
    const focus = await begin([look('a'), says('{"fixed": true, "note": null}')], {});
    expect(await focus.run()).toMatchObject({ kind: 'done', outcome: { fixed: true } });
    expect(focus.bodies().map(isHeld)).toEqual([true, true]);
  });

  it('still gets one repair for what its provider does not hold it to', async () => {
    const focus = await begin([says('{"fixed": true, "note": "x"}'), says('{"fixed": true, "note": "xx"}')], {});
    expect(await focus.run()).toMatchObject({ kind: 'done', outcome: { note: 'xx' } });
    expect(focus.bodies().map(mayCall)).toEqual([true, true]);
  });
});

describe('a model whose schema would block its tools', () => {
  const info = { structuredOutputs: 'closing', contextWindow: 100_000 } as const;
  const answers = [look('a'), says('It is fixed.'), says('{"fixed": true}')];

  it('gets it in a closing turn, in which it can call none', async () => {
    const focus = await begin(answers, { info });
    expect(await focus.run()).toMatchObject({ kind: 'done', outcome: { fixed: true } });
    expect(focus.bodies().map(isHeld)).toEqual([false, false, true]);
    expect(focus.bodies().map(mayCall)).toEqual([true, true, false]);
  });

  it('needs no such turn where its answer conforms unasked', async () => {
    const focus = await begin([look('a'), says('```json\n{"fixed": false}\n```')], { info });
    expect(await focus.run()).toMatchObject({ kind: 'done', outcome: { fixed: false } });
    expect(focus.bodies().map(isHeld)).toEqual([false, false]);
  });

  it('is repaired once after the closing turn, then the work has failed', async () => {
    const short = says('{"fixed": true, "note": "x"}');
    const repaired = await begin([says('Done.'), short, says('{"fixed": true}')], { info });
    expect(await repaired.run()).toMatchObject({ kind: 'done', outcome: { fixed: true } });
    expect(repaired.bodies().map(isHeld)).toEqual([false, true, true]);
    const failed = await begin([says('Done.'), short, short, says('never asked')], { info });
    expect(await failed.run()).toMatchObject({ kind: 'failed', code: 'outcome_invalid' });
    expect(failed.bodies()).toHaveLength(3);
  });

  it('is still held to it after an answer that was cut, and after an empty one', async () => {
    const cut: AnthropicAnswer = { ...says('{"fixed": tr'), stop_reason: 'max_tokens' };
    const focus = await begin([says('Done.'), cut, { content: [] }, says('{"fixed": true}')], { info });
    expect(await focus.run()).toMatchObject({ kind: 'done', outcome: { fixed: true } });
    expect(focus.bodies().map(isHeld)).toEqual([false, true, true, true]);
  });

  it('is asked the same, byte for byte, when the daemon is killed after any turn', async () => {
    const programme = [...answers.slice(0, 2), says('{"fixed": 1}'), says('{"fixed": true}')];
    const whole = await begin(programme, { info });
    await whole.run();
    const killed = await begin(programme, { info });
    const ends = [await killed.run(1), await killed.run(1), await killed.run(1), await killed.run()];
    expect(ends.map(({ kind }) => kind)).toEqual(['interrupted', 'interrupted', 'interrupted', 'done']);
    expect(raw(killed)).toEqual(raw(whole));
    expect(whole.bodies().map(isHeld)).toEqual([false, false, true, true]);
  });

  it('gets no closing turn where no turn is left', async () => {
    const focus = await begin([says('Done.'), says('{"fixed": true}')], { info, maxTurns: 1 });
    expect(await focus.run()).toMatchObject({ kind: 'failed', code: 'outcome_invalid' });
    expect(focus.bodies().map(isHeld)).toEqual([false]);
  });
});

it('a model that cannot be held is asked as before: in the prompt, and once for a repair', async () => {
  const focus = await begin([says('Done.'), says('{"fixed": true}')], {
    info: { structuredOutputs: 'none', contextWindow: 100_000 },
  });
  expect(await focus.run()).toMatchObject({ kind: 'done', outcome: { fixed: true } });
  expect(focus.bodies().map(isHeld)).toEqual([false, false]);
  expect(focus.bodies().map(mayCall)).toEqual([true, true]);
});

function begin(programme: readonly AnthropicAnswer[], options: LiveFocusOptions): Promise<LiveFocus> {
  return beginFocus(pg.database, programme, { outcomeSchema: SCHEMA, ...options });
}

function isHeld(body: Json): boolean {
  const format = (key: string) => (body[key] as { format?: unknown } | undefined)?.format;
  const sent = { anthropic: format('output_config'), openai: body['response_format'], responses: format('text') };
  return sent[WIRE] !== undefined;
}

function mayCall(body: Json): boolean {
  const choice = body['tool_choice'];
  return (
    (body['tools'] as unknown[]).length > 0 && choice !== 'none' && (choice as Json | undefined)?.['type'] !== 'none'
  );
}

/** The bytes of the requests. */
function raw({ server }: LiveFocus): string[] {
  return server.requests.map(({ body }) => body.toString('utf8'));
}
