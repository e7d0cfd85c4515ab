import { describe, expect, test } from 'vitest';
import { anthropicFault } from '../../src/llm/anthropic/errors.ts';
import { openaiFault } from '../../src/llm/openai/errors.ts';

/** Messages as providers word them, one for each that has a wording of its own. */
const TOO_LONG: readonly (readonly [string, string])[] = [
  ['Anthropic', 'prompt is too long: 208310 tokens > 200000 maximum'],
  [
    'Anthropic',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
  ],
  ['Bedrock', 'Input is too long for requested model.'],
  ['OpenAI', "This model's maximum context length is 128000 tokens. However, your messages resulted in 130011 tokens."],
  ['OpenAI', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  [
    'vLLM',
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",
  ],
  [
    'llama.cpp',
    'the request exceeds the available context size. try increasing the context size or enable context shift',
  ],
  ['Groq', 'Please reduce the length of the messages or completion.'],
  ['Gemini', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  ['Mistral', 'Prompt contains 70000 tokens and 0 draft tokens, too large for model with 32768 maximum context length'],
  [
    'Together',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4000 `inputs` tokens and 500 `max_new_tokens`',
  ],
  ['Ollama', 'prompt too long; exceeded max context length by 1201 tokens'],
  ['Moonshot', 'Invalid request: Your request exceeded model token limit: 8192'],
  ['MiniMax', 'invalid params, context window exceeds limit'],
  ['Zhipu', 'Prompt exceeds max length'],
  ['Alibaba', 'Range of input length should be [1, 30720]'],
  ['Cohere', 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5013.'],
  ['LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length'],
  [
    'OpenRouter',
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens.",
  ],
];

describe('a prompt that does not fit is recognised', () => {
  test.each(TOO_LONG)('%s: %s', (_, message) => {
    const anthropic = JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } });
    const openai = JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } });
    expect(anthropicFault({ status: 400, body: anthropic })).toMatchObject({
      kind: 'context_overflow',
      retryable: false,
    });
    expect(openaiFault({ status: 400, body: openai })).toMatchObject({ kind: 'context_overflow', retryable: false });
  });

  test('by its code, whatever it says', () => {
    const body = JSON.stringify({ error: { message: 'no', code: 'context_length_exceeded' } });
    expect(openaiFault({ status: 400, body }).kind).toBe('context_overflow');
    const llama = JSON.stringify({
      error: { code: 400, message: 'no', type: 'exceed_context_size_error', n_ctx: 4096 },
    });
    expect(openaiFault({ status: 400, body: llama }).kind).toBe('context_overflow');
  });
});

test.each([
  [
    429,
    'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 20000, Requested 15000.',
    'rate_limit',
  ],
  [400, "'max_tokens' is too large: 99999. This model supports at most 16384 completion tokens.", 'invalid_request'],
  [500, 'maximum context length could not be determined', 'overloaded'],
])('%i %s is %s', (status, message, kind) => {
  expect(openaiFault({ status, body: JSON.stringify({ error: { message } }) }).kind).toBe(kind);
});

const kindOf = (message: string) =>
  anthropicFault({
    status: 400,
    body: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
  }).kind;

test('other things that Anthropic says with invalid_request_error', () => {
  expect(kindOf('Your credit balance is too low to access the Anthropic API.')).toBe('quota');
  expect(kindOf('Output blocked by content filtering policy')).toBe('content_filter');
  expect(kindOf('max_tokens: Field required')).toBe('invalid_request');
});

test('an error without a body is classified by its status', () => {
  expect(anthropicFault({ status: 503, body: '' })).toMatchObject({
    kind: 'overloaded',
    message: 'HTTP 503: no message',
  });
  expect(anthropicFault({ status: 404, body: '<html>' })).toMatchObject({ kind: 'connection', retryable: false });
});
