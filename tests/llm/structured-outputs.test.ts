import { describe, expect, test } from 'vitest';
import type { StructuredOutputs } from '../../src/core/config/providers/model-words.ts';
import { anthropicBody } from '../../src/llm/anthropic/request.ts';
import type { LlmRequest, ToolSpec } from '../../src/llm/client.ts';
import type { ModelInfo } from '../../src/llm/models/model-info.ts';
import { modelInfo } from '../../src/llm/models/models.ts';
import { openaiBody } from '../../src/llm/openai/request.ts';
import { FACULTY_TOOL_NAMES, toolSpecs, toolset } from '../../src/tools/registry.ts';
import { anthropicBudgetComplaint } from '../support/model-server/strict-schemas.ts';
import { requestOf } from './llm-call.ts';

type Json = Record<string, unknown>;

const SCHEMA = { type: 'object', properties: { fixed: { type: 'boolean' } }, required: ['fixed'] };
const CLOSED = { ...SCHEMA, additionalProperties: false };
const TOOL: ToolSpec = {
  name: 'look',
  description: 'Looks.',
  inputSchema: {
    type: 'object',
    properties: { at: { type: 'string', minLength: 1 }, lines: { type: 'integer' } },
    required: ['at'],
    additionalProperties: false,
  },
};

interface Bodies {
  readonly openai: Json;
  readonly anthropic: Json;
}

function bodies(info: Partial<ModelInfo>, over: Partial<LlmRequest>): Bodies {
  const request = requestOf({ tools: [TOOL], outputSchema: { name: 'outcome', schema: SCHEMA }, ...over });
  const openai = { ...modelInfo('local', 'm'), ...info };
  return {
    openai: openaiBody(request, true, {
      provider: 'local',
      model: openai,
      isOpenAi: false,
      callIds: /./,
      userAfterTools: true,
    }),
    anthropic: anthropicBody(request, true, { provider: 'anthropic', model: { ...openai, ...info } }),
  };
}

const held = (structuredOutputs: StructuredOutputs, over: Partial<LlmRequest> = {}) => {
  const { openai, anthropic } = bodies({ structuredOutputs }, over);
  return {
    openai: (openai['response_format'] as { json_schema: Json } | undefined)?.json_schema,
    anthropic: (anthropic['output_config'] as { format: Json } | undefined)?.format,
    choices: [openai['tool_choice'], anthropic['tool_choice']],
    tools: [(openai['tools'] as Json[]).length, (anthropic['tools'] as Json[]).length],
  };
};

describe('a schema of the answer is sent', () => {
  test('in every request to a model that can hold it beside tools', () => {
    const expected = {
      openai: { name: 'outcome', strict: true, schema: CLOSED },
      anthropic: { type: 'json_schema', schema: CLOSED },
      choices: [undefined, undefined],
      tools: [1, 1],
    };
    expect(held('with_tools')).toEqual(expected);
    expect(held('with_tools', { closing: true })).toEqual(expected);
  });

  test('in a closing request alone to one that cannot, and no tool may be called', () => {
    expect(held('closing')).toMatchObject({ openai: undefined, anthropic: undefined, choices: [undefined, undefined] });
    expect(held('closing', { closing: true })).toEqual({
      openai: { name: 'outcome', schema: SCHEMA },
      anthropic: { type: 'json_schema', schema: CLOSED },
      choices: ['none', { type: 'none' }],
      tools: [1, 1],
    });
  });

  test('never to others, and never where the faculty has none', () => {
    expect(held('none', { closing: true })).toMatchObject({ openai: undefined, anthropic: undefined });
    const { openai, anthropic } = bodies({ structuredOutputs: 'with_tools' }, { outputSchema: undefined as never });
    expect([openai, anthropic].map((body) => [body['response_format'], body['output_config']])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  test('beside an effort', () => {
    const { anthropic } = bodies({ structuredOutputs: 'with_tools', effort: true, known: true }, { effort: 'low' });
    expect(anthropic['output_config']).toEqual({ effort: 'low', format: { type: 'json_schema', schema: CLOSED } });
  });
});

describe('a tool is strict', () => {
  const tools = (info: Partial<ModelInfo>, over: Partial<LlmRequest>) => {
    const { openai, anthropic } = bodies(info, over);
    return {
      openai: (openai['tools'] as { function: Json }[]).map((tool) => tool.function),
      anthropic: anthropic['tools'] as Json[],
    };
  };

  test('where the model and the request want it, in the vendor’s dialect', () => {
    const { openai, anthropic } = tools({ strictTools: true }, { strictTools: true });
    expect(openai[0]).toMatchObject({
      strict: true,
      parameters: { required: ['at', 'lines'], properties: { lines: { type: ['integer', 'null'] } } },
    });
    expect(anthropic[0]).toMatchObject({
      strict: true,
      input_schema: { required: ['at'], properties: { at: { description: '(minLength: 1)' } } },
    });
    for (const [info, request] of [
      [false, true],
      [true, false],
    ] as const) {
      const plain = tools({ strictTools: info }, { strictTools: request });
      expect(plain.openai[0]).toEqual({ name: 'look', description: 'Looks.', parameters: TOOL.inputSchema });
      expect(plain.anthropic[0]).toMatchObject({ input_schema: TOOL.inputSchema });
      expect(plain.anthropic[0]).not.toHaveProperty('strict');
    }
  });

  test('unless its schema cannot be written', () => {
    const open = { name: 'open', description: '', inputSchema: { type: 'object', properties: { any: {} } } };
    const { openai } = tools({ strictTools: true }, { strictTools: true, tools: [open, TOOL] });
    expect(openai.map(({ strict }) => strict)).toEqual([undefined, true]);
    expect(openai[0]?.['parameters']).toEqual(open.inputSchema);
  });

  test('as long as Anthropic’s counts of a request allow, the schema of the answer first', () => {
    const optional = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: 'string' }]));
    const heavy = (name: string, count: number): ToolSpec => ({
      name,
      description: '',
      inputSchema: { type: 'object', properties: optional(count), required: [] },
    });
    const answer = { type: 'object', properties: optional(10), required: [] };
    const { anthropic } = bodies(
      { strictTools: true, structuredOutputs: 'with_tools' },
      {
        strictTools: true,
        tools: [
          heavy('a', 10),
          heavy('b', 5),
          heavy('c', 4),
          ...Array.from({ length: 25 }, (_, n) => heavy(`t${n}`, 0)),
        ],
        outputSchema: { name: 'outcome', schema: answer },
      },
    );
    const sent = anthropic['tools'] as Json[];
    const strict = sent.filter((tool) => tool['strict'] === true);
    expect(sent.slice(0, 3).map((tool) => tool['strict'])).toEqual([true, undefined, true]);
    // An object with no properties at all takes any key, so those stay as they are.
    expect(
      anthropicBudgetComplaint(
        answer,
        strict.map((tool) => tool['input_schema']),
      ),
    ).toBeNull();
  });

  test('and so are all of animus’s own, within the limits', () => {
    const { anthropic, openai } = tools(
      { strictTools: true },
      { strictTools: true, tools: toolSpecs(toolset(FACULTY_TOOL_NAMES)) },
    );
    // The last of 21 tools is one more than providers take as strict.
    expect(openai.filter(({ strict }) => strict !== true)).toMatchObject([{ name: 'memory_forget' }]);
    // All tools in one faculty have more optional fields than Anthropic allows in strict tools: those for which there is no room are not
    // strict: grep, which has many, and others behind it.
    expect(anthropic.filter(({ strict }) => strict !== true).map(({ name }) => name)).toEqual([
      'grep',
      'bash_job',
      'web_search',
      'memory_search',
      'memory_store',
      'memory_update',
    ]);
    expect(
      anthropicBudgetComplaint(
        undefined,
        anthropic.filter(({ strict }) => strict === true).map((tool) => tool['input_schema']),
      ),
    ).toBeNull();
  });
});
