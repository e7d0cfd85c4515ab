import { afterEach, describe, expect, test } from 'vitest';
import type { LlmEvent } from '../../../src/llm/client.ts';
import type { HttpProviderSettings } from '../../../src/llm/provider-settings.ts';
import { bedrockSign } from '../../../src/llm/providers/bedrock.ts';
import { isFault } from '../../../src/llm/wire/fault.ts';
import { anthropicEvents, startAnthropicServer, text, toolUse } from '../../support/model-server/anthropic.ts';
import { type BedrockLogin, bedrockGate, chunkFrame, frame } from '../../support/model-server/clouds.ts';
import { startServer } from '../../support/model-server/server.ts';
import { instantClock } from '../instant-clock.ts';
import { answered, call, failed, llmOf } from '../llm-call.ts';

const KEYS: BedrockLogin = {
  region: 'eu-central-1',
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'a/session+token==',
};
const MODEL = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
const ONCE = { maxAttempts: 1 };
const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of opened.splice(0).toReversed()) await end();
});

function connect(baseUrl: string, settings: Partial<HttpProviderSettings> = {}) {
  const { region, ...awsKeys } = KEYS;
  const llm = llmOf({ kind: 'bedrock', baseUrl, apiKey: null, awsKeys, cloud: { region }, ...settings });
  opened.push(() => llm.stop());
  return llm;
}

async function serve(
  programme: Parameters<typeof startAnthropicServer>[0],
  login = () => KEYS as BedrockLogin | { apiKey: string },
) {
  const server = await startAnthropicServer(programme, bedrockGate(login));
  opened.push(server.close);
  return server;
}

async function serveBytes(bytes: Buffer, pieceBytes?: number) {
  const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
  const server = await startServer(() => ({ status: 200, headers, parts: [bytes], ...(pieceBytes && { pieceBytes }) }));
  opened.push(server.close);
  return server;
}

const ANSWER = { content: [text('Grüße from Frankfurt'), toolUse('toolu_1', 'read_file', { path: 'a b' })] };

describe('an answer of Bedrock', () => {
  test.each([true, false])('is signed for and read (streamed: %s)', async (stream) => {
    const server = await serve([ANSWER]);
    const events: LlmEvent[] = [];
    const response = answered(
      await call(
        connect(server.url, { stream }),
        { model: MODEL, thinkingBudgetTokens: 2000, maxTokens: 4000 },
        (each) => events.push(each),
      ),
    );
    expect(response).toMatchObject({
      provider: 'p',
      stopReason: 'tool_use',
      content: [
        { type: 'text', text: 'Grüße from Frankfurt' },
        { type: 'tool_call', name: 'read_file', input: { path: 'a b' } },
      ],
      usage: { input: 100, output: 10 },
    });
    const [request] = server.requests;
    expect(request?.path).toBe(
      `/model/${encodeURIComponent(MODEL)}/${stream ? 'invoke-with-response-stream' : 'invoke'}`,
    );
    // A name of Bedrock has its model's abilities.
    expect(request?.json).toMatchObject({
      thinking: { budget_tokens: 2000 },
      anthropic_beta: ['interleaved-thinking-2025-05-14'],
    });
    expect(events.filter(({ type }) => type === 'text').length > 1).toBe(stream);
  });

  test('comes with a Bedrock API key as well, unsigned', async () => {
    const server = await serve([ANSWER], () => ({ apiKey: 'bedrock-api-key-1' }));
    answered(await call(connect(server.url, { apiKey: 'bedrock-api-key-1' }), { model: MODEL }));
    expect(server.requests[0]?.headers['x-amz-date']).toBeUndefined();
  });

  test.each([1, 3, 16, 1000])('is the same in pieces of %d bytes', async (pieceBytes) => {
    const whole = await serveBytes(STREAM);
    const cut = await serveBytes(STREAM, pieceBytes);
    const [a, b] = [
      answered(await call(connect(whole.url), { model: MODEL })),
      answered(await call(connect(cut.url), { model: MODEL })),
    ];
    expect(b.content).toEqual(a.content);
    expect(b.usage).toEqual(a.usage);
  });
});

describe('a signature', () => {
  test('depends on the body', async () => {
    const sign = bedrockSign('us-east-1', instantClock());
    const url = new URL('https://h/model/x%3A0/invoke');
    const request = { method: 'POST', url, headers: { accept: 'a' }, body: '{}' } as const;
    const credential = { key: null, aws: KEYS };
    const first = await sign(request, credential);
    expect(await sign(request, credential)).toEqual(first);
    expect(await sign({ ...request, body: '{ }' }, credential)).not.toEqual(first);
  });

  test('of other keys, another region or changed bytes is refused by the mock', async () => {
    const server = await serve([ANSWER]);
    const wrong = {
      accessKeyId: KEYS.accessKeyId,
      secretAccessKey: 'wrong-secret-key',
      sessionToken: KEYS.sessionToken,
    };
    for (const settings of [{ awsKeys: wrong }, { cloud: { region: 'us-east-1' } }]) {
      const failure = failed(await call(connect(server.url, settings), { model: MODEL }));
      expect(failure).toMatchObject({ kind: 'credentials', httpStatus: 403, attempts: 1 });
      expect(failure.message).not.toContain('wrong-secret-key');
    }
  });

  test('needs keys', async () => {
    const { awsKeys: _, ...none } = { awsKeys: 1 };
    const llm = llmOf({
      kind: 'bedrock',
      baseUrl: 'http://127.0.0.1:1',
      apiKey: null,
      cloud: { region: 'x' },
      ...none,
    });
    opened.push(() => llm.stop());
    expect(failed(await call(llm, { model: MODEL }))).toMatchObject({
      kind: 'credentials',
      message: expect.stringContaining('no AWS keys'),
    });
    const signed = await bedrockSign('x', instantClock())(
      { method: 'GET', url: new URL('http://h'), headers: {}, body: null },
      { key: null },
    );
    expect(isFault(signed)).toBe(true);
  });
});

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [text('one two three'), toolUse('toolu_1', 'read_file', { path: 'x' })],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 7, output_tokens: 3 },
};
const FRAMES = anthropicEvents(MESSAGE).map((event) => chunkFrame(JSON.stringify(event)));
const STREAM = Buffer.concat(FRAMES);

describe('a broken stream', () => {
  test('cut after every frame, and inside each, is a broken connection', async () => {
    // With the last frame but one, stop reason and usage have come: such an answer is kept.
    const cuts = FRAMES.slice(0, -2).flatMap((_, index) => {
      const end = Buffer.concat(FRAMES.slice(0, index + 1)).length;
      return [end, end + 5, end + 40];
    });
    for (const end of cuts) {
      const server = await serveBytes(STREAM.subarray(0, end));
      expect(failed(await call(connect(server.url, { retry: ONCE }), { model: MODEL }))).toMatchObject({
        kind: 'connection',
      });
    }
  });

  test('that breaks after a finished answer is kept', async () => {
    const last = FRAMES.at(-1)?.length ?? 0;
    for (const missing of [last, 3]) {
      const server = await serveBytes(STREAM.subarray(0, STREAM.length - missing));
      answered(await call(connect(server.url, { retry: ONCE }), { model: MODEL }));
    }
  });

  test.each([
    ['the prelude', 5, /checksum \(prelude\)/],
    ['the payload', 120, /checksum \(message\)/],
  ])('with a wrong byte in %s is a broken wire format', async (_, at, message) => {
    const bytes = Buffer.from(STREAM);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const server = await serveBytes(bytes);
    const failure = failed(await call(connect(server.url, { retry: ONCE }), { model: MODEL }));
    expect(failure).toMatchObject({ kind: 'protocol', message: expect.stringMatching(message) });
  });

  test('by an error event of the model fails as the event says', async () => {
    const event = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const server = await serveBytes(Buffer.concat([...FRAMES.slice(0, 3), chunkFrame(JSON.stringify(event))]));
    const failure = failed(await call(connect(server.url, { retry: ONCE }), { model: MODEL }));
    expect(failure).toMatchObject({ kind: 'overloaded', message: expect.stringContaining('Overloaded') });
  });

  test.each([
    ['throttlingException', 'Too many requests', 'rate_limit'],
    ['serviceUnavailableException', 'later', 'overloaded'],
    ['modelStreamErrorException', 'failed', 'overloaded'],
    ['modelTimeoutException', 'slow', 'timeout'],
    ['validationException', 'Input is too long for requested model.', 'context_overflow'],
    ['validationException', 'messages: wrong', 'invalid_request'],
    ['internalServerException', 'oops', 'overloaded'],
    ['newException', 'unheard of', 'overloaded'],
  ])('by %s (%s) fails as %s', async (name, message, kind) => {
    const exception = frame({ ':message-type': 'exception', ':exception-type': name }, JSON.stringify({ message }));
    const server = await serveBytes(Buffer.concat([...FRAMES.slice(0, 3), exception]));
    const failure = failed(await call(connect(server.url, { retry: ONCE }), { model: MODEL }));
    expect(failure).toMatchObject({ kind, message: expect.stringContaining(message) });
  });

  test.each([
    ['unknown events are passed over', frame({ ':message-type': 'event', ':event-type': 'news' }, '{}'), null],
    ['an error without a name', frame({ ':message-type': 'error', ':error-code': 'Internal' }, ''), 'overloaded'],
    ['a frame without a type', frame({}, '{}'), 'protocol'],
    ['a chunk without bytes', frame({ ':message-type': 'event', ':event-type': 'chunk' }, '{}'), 'protocol'],
  ])('%s', async (_, odd, kind) => {
    const server = await serveBytes(Buffer.concat([...FRAMES.slice(0, 2), odd, ...FRAMES.slice(2)]));
    const result = await call(connect(server.url, { retry: ONCE }), { model: MODEL });
    expect(result.ok ? null : result.failure.kind).toBe(kind);
  });
});

test.each([
  [400, 'The provided model identifier is invalid.', 'model_not_found'],
  [403, "You don't have access to the model with the specified model ID.", 'model_not_found'],
  [403, 'The security token included in the request is expired', 'credentials'],
  [404, 'This model version has reached the end of its life.', 'model_not_found'],
  [400, 'Invocation of model ID x with on-demand throughput isn’t supported.', 'model_not_found'],
  [429, 'Too many tokens per day, please wait before trying again.', 'quota'],
  [429, 'Too many requests', 'rate_limit'],
  [424, 'The model failed', 'overloaded'],
  [400, 'malformed input request', 'invalid_request'],
])('HTTP %d «%s» is %s', async (status, message, kind) => {
  const server = await serve([{ status, message }]);
  expect(failed(await call(connect(server.url, { retry: ONCE }), { model: MODEL }))).toMatchObject({
    kind,
    httpStatus: status,
  });
});
