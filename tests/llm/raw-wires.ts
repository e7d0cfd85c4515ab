/** A short answer in each wire format, part by part, for servers that send it in part. */
import type { HttpProviderSettings } from '../../src/llm/provider-settings.ts';
import { anthropicEvents, sse } from '../support/model-server/anthropic.ts';
import { chunkFrame, frame } from '../support/model-server/clouds.ts';
import { ollamaLines } from '../support/model-server/ollama.ts';
import { openaiChunks } from '../support/model-server/openai.ts';
import { responsesEvents } from '../support/model-server/responses.ts';

type Json = Record<string, unknown>;

/** The words of every answer, cut into pieces of twelve characters. */
export const WORDS = 'one two three four five six seven';

/** One wire format at one kind of provider. */
export interface RawWire {
  readonly name: string;
  readonly model: string;
  readonly settings: Omit<HttpProviderSettings, 'baseUrl' | 'apiKey'> & { readonly path: string };
  readonly contentType: string;
  /** The whole answer, with 100 tokens in and 10 out. */
  readonly parts: readonly (string | Buffer)[];
  /** So many parts have a part of the words, and no end. */
  readonly half: number;
  /** So many parts contain the reason why the answer ended, and no count of its tokens; null: both come in one part. */
  readonly finished: number | null;
  /** The whole answer with counts of none, or without counts. */
  readonly uncounted: readonly (string | Buffer)[];
  /** An error of the provider in a stream: it is rate limited, or overloaded. */
  error(kind: 'rate_limit' | 'overloaded'): string | Buffer;
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

function anthropicWire(name: string, settings: RawWire['settings'], model: string): RawWire {
  const events = (usage: Json) =>
    anthropicEvents({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: WORDS }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage,
    });
  const isBedrock = settings.kind === 'bedrock';
  const written = (event: Json) => (isBedrock ? chunkFrame(JSON.stringify(event)) : sse(event));
  const whole = events({ input_tokens: 100, output_tokens: 10 });
  const stop = whole.findIndex(({ type }) => type === 'message_delta');
  const { usage: _, ...withoutCounts } = whole[stop]!;
  return {
    name,
    model,
    settings,
    contentType: isBedrock ? 'application/vnd.amazon.eventstream' : 'text/event-stream',
    parts: [...whole.slice(0, stop), withoutCounts, ...whole.slice(stop)].map(written),
    half: 5,
    finished: stop + 1,
    uncounted: events({ input_tokens: 0, output_tokens: 0 }).map(written),
    error: (kind) => {
      const type = kind === 'rate_limit' ? 'rate_limit_error' : 'overloaded_error';
      const exception = kind === 'rate_limit' ? 'throttlingException' : 'serviceUnavailableException';
      if (isBedrock) return frame({ ':message-type': 'exception', ':exception-type': exception }, '{"message":"no"}');
      return sse({ type: 'error', error: { type, message: 'no' } });
    },
  };
}

function chatWire(name: string, settings: RawWire['settings'], model: string): RawWire {
  const chunks = (usage: Json) => openaiChunks({ text: WORDS, model, usage }, true).map(data);
  const whole = chunks({});
  return {
    name,
    model,
    settings,
    contentType: 'text/event-stream',
    parts: [...whole, 'data: [DONE]\n\n'],
    half: 3,
    finished: whole.length - 1,
    uncounted: [...chunks({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }), 'data: [DONE]\n\n'],
    error: (kind) =>
      data({ error: { message: 'no', code: kind === 'rate_limit' ? 'rate_limit_exceeded' : 'overloaded' } }),
  };
}

function responsesWire(): RawWire {
  const events = (usage: Json | null) =>
    responsesEvents({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'm',
      output: [
        {
          id: 'msg_0',
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', annotations: [], logprobs: [], text: WORDS }],
        },
      ],
      usage,
    }).map((event) => `event: ${String(event['type'])}\n${data(event)}`);
  return {
    name: 'responses',
    model: 'm',
    settings: { kind: 'openai', wire: 'responses', path: '/v1' },
    contentType: 'text/event-stream',
    parts: events({ input_tokens: 100, output_tokens: 10, total_tokens: 110 }),
    half: 6,
    finished: null,
    uncounted: events(null),
    error: (kind) =>
      data({ type: 'error', code: kind === 'rate_limit' ? 'rate_limit_exceeded' : 'server_error', message: 'no' }),
  };
}

function ollamaWire(): RawWire {
  const lines = ollamaLines({ text: WORDS }, { model: 'm' }, 100);
  const written = (line: Json) => `${JSON.stringify(line)}\n`;
  const { prompt_eval_count: _in, eval_count: _out, ...uncounted } = lines.at(-1)!;
  return {
    name: 'ollama',
    model: 'm',
    settings: { kind: 'ollama', path: '' },
    contentType: 'application/x-ndjson',
    parts: lines.map(written),
    half: 2,
    finished: null,
    uncounted: [...lines.slice(0, -1), uncounted].map(written),
    // Ollama has no words for a rate limit: a model that is not there is what it refuses.
    error: (kind) => written({ error: kind === 'rate_limit' ? 'model "m" not found' : 'an error was encountered' }),
  };
}

const AWS = {
  awsKeys: { accessKeyId: 'a', secretAccessKey: 's', sessionToken: null },
  cloud: { region: 'eu-central-1' },
};
const GOOGLE = { cloud: { project: 'p', location: 'europe-west1' } };

/** Every wire format and kind of provider. */
export const RAW_WIRES: readonly RawWire[] = [
  anthropicWire('anthropic', { kind: 'anthropic', path: '' }, 'm'),
  chatWire('chat', { kind: 'openai', path: '/v1' }, 'm'),
  responsesWire(),
  ollamaWire(),
  anthropicWire('bedrock', { kind: 'bedrock', path: '', ...AWS }, 'anthropic.claude-sonnet-4-5-20250929-v1:0'),
  anthropicWire('claude at vertex', { kind: 'vertex', path: '', ...GOOGLE }, 'claude-sonnet-4-5'),
  chatWire('gemini at vertex', { kind: 'vertex', path: '', ...GOOGLE }, 'gemini-3.5-flash'),
  chatWire('azure', { kind: 'azure', path: '' }, 'm'),
];
