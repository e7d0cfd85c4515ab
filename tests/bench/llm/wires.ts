/** The wire formats of the benchmark: where their clients send, and how their answers stream. The model's name is the number of text deltas. */
import type { HttpProviderSettings } from '../../../src/llm/provider-settings.ts';
import { anthropicEvents, sse } from '../../support/model-server/anthropic.ts';
import { openaiChunks } from '../../support/model-server/openai.ts';
import { responseOf, responsesEvents } from '../../support/model-server/responses.ts';

type Json = Record<string, unknown>;

export const WIRES = ['anthropic', 'openai', 'responses'] as const;
export type BenchWire = (typeof WIRES)[number];

interface BenchFormat {
  readonly settings: Pick<HttpProviderSettings, 'kind' | 'wire'>;
  /** The end of the base URL. */
  readonly base: '' | '/v1';
  readonly path: string;
  /** The stream of an answer with this text. */
  readonly stream: (text: string) => string;
  /** The text in an event, '' if it has none. */
  readonly textOf: (event: Json) => string;
}

const data = (event: Json) => `data: ${JSON.stringify(event)}\n\n`;

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string | null } }[];
}

export const FORMATS: Readonly<Record<BenchWire, BenchFormat>> = {
  anthropic: {
    settings: { kind: 'anthropic' },
    base: '',
    path: '/v1/messages',
    stream: (text) =>
      anthropicEvents({
        id: 'm',
        model: 'bench',
        content: [{ type: 'text', text }],
        stop_reason: 'end_turn',
        usage: { output_tokens: 9 },
      })
        .map(sse)
        .join(''),
    textOf: (event) => (event as { delta?: { text?: string } }).delta?.text ?? '',
  },
  openai: {
    settings: { kind: 'openai' },
    base: '/v1',
    path: '/v1/chat/completions',
    stream: (text) => `${openaiChunks({ text, model: 'bench' }, true).map(data).join('')}data: [DONE]\n\n`,
    textOf: (event) => (event as unknown as Chunk).choices[0]?.delta.content ?? '',
  },
  responses: {
    settings: { kind: 'openai', wire: 'responses' },
    base: '/v1',
    path: '/v1/responses',
    stream: (text) =>
      responsesEvents(responseOf({ output: [{ text }] }, 'bench'))
        .map(sse)
        .join(''),
    textOf: (event) => (event['type'] === 'response.output_text.delta' ? String(event['delta']) : ''),
  },
};
