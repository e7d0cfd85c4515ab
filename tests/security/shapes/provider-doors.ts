/** What providers answer: in one piece, as events, and as arguments of a call. */
import { expect } from 'vitest';
import { JSON_LIMITS } from '../../../src/core/text/json-limits.ts';
import { call, llmOf } from '../../llm/llm-call.ts';
import { FEW, SHAPES } from './corpus.ts';
import { measure } from './door.ts';
import { otherThread } from './other-thread.ts';

const MIB = 2 ** 20;

const sse = (event: string) => `data: ${event}\n\n`;
const START = sse('{"type":"message_start","message":{"usage":{"input_tokens":3}}}');
const TOOL = sse(
  '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"read_file"}}',
);
const END =
  sse('{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":2}}') +
  sse('{"type":"message_stop"}');
const part = (json: string) =>
  sse(
    `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":${JSON.stringify(json)}}}`,
  );
const inPieces = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
const chunk = (json: string) =>
  sse(
    `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t","function":{"name":"read_file","arguments":${JSON.stringify(json)}}}]}}]}`,
  );
const FINISH = sse('{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}') + sse('[DONE]');
const item = (json: string) =>
  `{"type":"function_call","id":"i","call_id":"t","name":"read_file","arguments":${JSON.stringify(json)}}`;
const completed = (output: string) =>
  `{"type":"response.completed","response":{"id":"r","status":"completed","output":[${output}]}}`;
const ollama = (message: string) => `{"model":"m","message":${message},"done":true,"done_reason":"stop"}\n`;

type Kind = 'anthropic' | 'openai' | 'responses' | 'ollama';

interface Way {
  readonly name: string;
  readonly kind: Kind;
  readonly bytes: number;
  readonly type: string;
  readonly stream?: boolean;
  /** Only some shapes: the others are read by the same code. */
  readonly few?: true;
  parts(shape: string): readonly string[];
}

const EVENTS = 'text/event-stream';
const WAYS: readonly Way[] = [
  {
    name: 'anthropic: an event',
    kind: 'anthropic',
    bytes: 11.9 * MIB,
    type: EVENTS,
    parts: (shape) => [START, sse(shape), END],
  },
  {
    name: 'anthropic: arguments',
    few: true,
    kind: 'anthropic',
    bytes: 5.8 * MIB,
    type: EVENTS,
    parts: (shape) => [START, TOOL, part(shape), END],
  },
  {
    name: 'anthropic: arguments in many deltas',
    kind: 'anthropic',
    bytes: MIB / 2,
    few: true,
    type: EVENTS,
    parts: (shape) => [START, TOOL, ...inPieces(shape, 4).map(part), END],
  },
  {
    name: 'anthropic: in one piece',
    kind: 'anthropic',
    bytes: 11.9 * MIB,
    type: 'application/json',
    stream: false,
    parts: (shape) => [
      `{"content":[{"type":"tool_use","id":"t","name":"read_file","input":${shape}}],"stop_reason":"tool_use"}`,
    ],
  },
  {
    name: 'openai: arguments',
    kind: 'openai',
    bytes: 5.8 * MIB,
    type: EVENTS,
    parts: (shape) => [chunk(shape), FINISH],
  },
  {
    name: 'openai: an error',
    few: true,
    kind: 'openai',
    bytes: 11.9 * MIB,
    type: EVENTS,
    parts: (shape) => [sse(`{"error":${shape}}`)],
  },
  {
    name: 'responses: arguments',
    few: true,
    kind: 'responses',
    bytes: 5.8 * MIB,
    type: EVENTS,
    parts: (shape) => [sse(completed(item(shape)))],
  },
  {
    name: 'responses: an unknown item',
    few: true,
    kind: 'responses',
    bytes: 11.9 * MIB,
    type: EVENTS,
    parts: (shape) => [sse(completed(shape))],
  },
  {
    name: 'ollama: a line',
    kind: 'ollama',
    bytes: 11.9 * MIB,
    type: 'application/x-ndjson',
    parts: (shape) => [
      ollama(`{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read_file","arguments":${shape}}}]}`),
    ],
  },
];

export async function throughProviders(): Promise<void> {
  for (const { name, kind, bytes, type, stream = true, few, parts } of WAYS) {
    const server = otherThread();
    const baseUrl = `http://127.0.0.1:${await server.serve(type)}`;
    const wire = kind === 'responses' ? ({ kind: 'openai', wire: 'responses' } as const) : ({ kind } as const);
    const open = () => llmOf({ ...wire, baseUrl, stream, retry: { maxAttempts: 1 } });
    for (const [shape, text] of Object.entries(few ? FEW : SHAPES)) {
      const given = text(bytes, JSON_LIMITS.toolInput);
      await server.prepare(parts(given));
      // A client that lost three answers in a row sends nothing for a minute, and nothing is read.
      const llm = open();
      const answer = await measure(name, shape, given.length, () => call(llm));
      expect(answer, `${name}, ${shape}`).not.toMatchObject({
        failure: { message: expect.stringContaining('paused for another') },
      });
      await llm.stop();
    }
    await server.end();
  }
}
