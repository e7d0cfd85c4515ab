import { describe, expect, it, onTestFinished } from 'vitest';
import type { LlmRequest } from '../../../src/llm/client.ts';
import { createLlm, type Llm } from '../../../src/llm/llm.ts';
import { startAnthropicServer, text, toolUse } from '../../support/model-server/anthropic.ts';
import { startOpenAiServer } from '../../support/model-server/openai.ts';
import type { ModelServer } from '../../support/model-server/server.ts';

const CALL = { id: 'call1', name: 'look', input: { at: 'it' } };

/** One answer with a call, by each wire format. */
const SERVERS: Readonly<Record<string, () => Promise<ModelServer>>> = {
  anthropic: () => startAnthropicServer([{ content: [text('I look.'), toolUse(CALL.id, CALL.name, CALL.input)] }]),
  openai: () => startOpenAiServer([{ text: 'I look.', calls: [CALL] }]),
};

function requestFor(model: string): LlmRequest {
  return {
    model,
    system: 'You look.',
    tools: [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' } }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Look at it.' }] }],
    maxTokens: 100,
    conversationId: 'c1',
  };
}

describe.each(Object.keys(SERVERS))('a request of the %s format in a batch', (kind) => {
  async function open(): Promise<{ llm: Llm; server: ModelServer }> {
    const server = await SERVERS[kind]!();
    const baseUrl = kind === 'openai' ? `${server.url}/v1` : server.url;
    const provider = { kind: kind as 'anthropic' | 'openai', baseUrl, apiKey: 'sk-test-key', stream: false };
    const llm = createLlm({ providers: { p: provider }, defaultProvider: 'p' });
    onTestFinished(async () => {
      await llm.stop();
      await server.close();
    });
    return { llm, server };
  }

  it('has the bytes of a live request, and its answer is read as a live one', async () => {
    const { llm, server } = await open();
    const { client, batch } = llm.resolve('m');
    const request = requestFor('m');
    const live = await client.complete(request, { signal: new AbortController().signal });
    const sent = server.requests[0]!.body.toString();
    const written = batch!.write(request);
    expect(written.body).toBe(sent.replace('"stream":false,', ''));
    expect(JSON.stringify(written)).not.toContain('sk-test-key');

    const reply = await fetch(server.url + server.requests[0]!.path, {
      method: 'POST',
      headers: server.requests[0]!.headers as Record<string, string>,
      body: sent,
    });
    const read = batch!.read(request, JSON.stringify({ status: 200, body: await reply.json() }));
    if (read.kind !== 'answered' || !live.ok) throw new Error('not answered');
    // How often a live request was lost before is not part of the answer.
    const { durationMs: _, timeToFirstTokenMs: __, lost: ___, ...answer } = live.response;
    expect(read.response).toMatchObject(answer);
  });

  it('that failed, or was not run, says so', async () => {
    const { llm } = await open();
    const { batch } = llm.resolve('m');
    const read = (stored: unknown) => batch!.read(requestFor('m'), JSON.stringify(stored));
    const body = {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
    };
    expect(read({ status: 400, body })).toMatchObject({ kind: 'failed', failure: { kind: 'context_overflow' } });
    const invalid = { type: 'error', error: { type: 'invalid_request_error', message: 'temperature: wrong' } };
    expect(read({ status: 400, body: invalid })).toMatchObject({
      kind: 'failed',
      failure: { kind: 'invalid_request' },
    });
    // As Anthropic's results have it: without a status.
    expect(read({ status: 0, body: invalid })).toMatchObject({
      failure: { message: expect.stringMatching(/^in a batch invalid_request_error: temperature: wrong$/) },
    });
    expect(read({ ended: 'expired' })).toEqual({ kind: 'not_run', why: 'expired' });
    expect(batch!.read(requestFor('m'), 'no JSON')).toMatchObject({ kind: 'failed', failure: { kind: 'protocol' } });
    expect(read({ status: 200, body: 'no object' })).toMatchObject({ kind: 'failed' });
  });
});
