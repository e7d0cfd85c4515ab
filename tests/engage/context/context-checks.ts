/** What holds for every context. Each check fails the test if it does not. */
import { expect } from 'vitest';
import { renderMessages } from '../../../src/engage/context/context.ts';
import { keptFrom } from '../../../src/engage/context/context-folds.ts';
import { ledgerWrites } from '../../../src/engage/context/ledger-writes.ts';
import { anthropicBody } from '../../../src/llm/anthropic/request.ts';
import type { ContentBlock, Message } from '../../../src/llm/client.ts';
import { modelInfo } from '../../../src/llm/models/models.ts';
import { openaiBody } from '../../../src/llm/openai/request.ts';
import type { OpenHandle } from '../../../src/store/open/open-handles.ts';
import type { EngineMessage } from '../../../src/store/transcript/messages.ts';
import type { Transcript } from '../../../src/store/transcript/transcript.ts';
import { refusalOf } from '../../support/model-server/anthropic-rules.ts';
import { refusalOf as openaiRefusalOf } from '../../support/model-server/openai-rules.ts';
import type { RecordedRequest } from '../../support/model-server/server.ts';

/** What stands before the messages of each request. */
export const PREFIX = {
  systemPrompt: 'You work.',
  toolSpecs: [{ name: 'look', description: '', inputSchema: { type: 'object' } }],
};

/** No provider would refuse a request with these messages. */
export function checkLegal(messages: readonly Message[], thinks: boolean): void {
  expect(brokenRule(messages)).toBeNull();
  const request = {
    model: 'm',
    system: PREFIX.systemPrompt,
    tools: PREFIX.toolSpecs,
    messages,
    maxTokens: 9000,
    ...(thinks && { thinkingBudgetTokens: 2000 }),
  };
  const sonnet = { provider: 'anthropic', model: modelInfo('anthropic', 'claude-sonnet-4-5') };
  const gpt = {
    provider: 'openai',
    model: modelInfo('openai', 'gpt-4.1'),
    isOpenAi: true,
    callIds: /^[a-zA-Z0-9_-]{1,40}$/,
    userAfterTools: true,
  };
  const anthropic = asSent('/v1/messages', anthropicBody(request, true, sonnet));
  expect(refusalOf(anthropic)).toBeNull();
  expect(openaiRefusalOf(asSent('/v1/chat/completions', openaiBody(request, true, gpt)))).toBeNull();
  expect(messages.filter(({ cacheBreakpoint }) => cacheBreakpoint).length).toBeLessThanOrEqual(3);
}

function asSent(path: string, body: object): RecordedRequest {
  const json = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
  const headers = {
    'x-api-key': 'k',
    authorization: 'Bearer k',
    'anthropic-version': '2023-06-01',
    'content-type': 'application/json',
  };
  const ended = Promise.resolve({ cutByClient: false });
  return { method: 'POST', path, headers, body: Buffer.alloc(0), json, atMs: 0, refused: null, ended };
}

/** What every format requires: roles alternate, each call has its result at the front of the next message, and no result is without a call. */
function brokenRule(messages: readonly Message[]): string | null {
  let open: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) return `message ${index} is by ${role}`;
    if (content.length === 0) return `message ${index} is empty`;
    const results = content.flatMap((block) => (block.type === 'tool_result' ? [block.callId] : []));
    if (results.join() !== open.join()) return `message ${index}: results ${results.join()} for calls ${open.join()}`;
    if (content.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
      return `message ${index}: results late`;
    open = content.flatMap((block) => (block.type === 'tool_call' ? [block.id] : []));
  }
  return open.length > 0 ? `calls without results: ${open.join()}` : null;
}

/** The open block is there word for word; of the closed ones, what the agent recorded, the open handles and what people and skills said. */
export function checkKept(transcript: Transcript, rendered: readonly Message[], handles: readonly OpenHandle[]): void {
  const from = keptFrom(transcript);
  const flatBlocks = rendered.flatMap(({ content }) => content);
  const open = transcript.turns.filter(({ turn }) => turn >= from);
  expect(open.length).toBeGreaterThan(0);
  const verbatim = open.flatMap(({ content, calls }) => [...content, ...calls.map(({ output }) => output)]);
  const sent = flatBlocks.map((block) => (block.type === 'tool_result' ? textOf(block.content[0]!) : block));
  let at = -1;
  for (const piece of verbatim) {
    at = sent.indexOf(piece as never, at + 1);
    expect(at, 'a piece of the open block is missing or out of order').toBeGreaterThanOrEqual(0);
  }
  const said = JSON.stringify(rendered);
  const writes = transcript.turns.flatMap(ledgerWrites);
  const plan = writes.findLast(({ type }) => type === 'plan');
  for (const write of [...writes.filter(({ type }) => type !== 'plan' && type !== 'note'), ...(plan ? [plan] : [])]) {
    expect(said).toContain(JSON.stringify(write.content).slice(1, -1));
  }
  for (const { id } of handles) expect(said).toContain(id);
  for (const { kind, content } of transcript.messages) {
    if (kind === 'operator' || kind === 'skill' || kind === 'orient') expect(flatBlocks.map(textOf)).toContain(content);
  }
}

/** Nothing before the closed block changes; without one, the request extends the previous one. */
export function checkTail(
  before: readonly Message[],
  now: readonly Message[],
  made: readonly EngineMessage[],
  opening: readonly Message[],
): void {
  const summary = made.some(({ kind }) => kind === 'summary');
  const stub = made.some(({ kind }) => kind === 'stub');
  const begun = [{ ...opening[0]!, content: opening[0]!.content.slice(0, 2) }];
  const stays = summary ? begun : stub ? opening : before;
  expect(flat(now).slice(0, flat(stays).length)).toEqual(flat(stays));
}

/** The part before the open block. */
export function openingOf(transcript: Transcript): Message[] {
  return renderMessages({ turns: [], messages: transcript.messages });
}

function flat(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) => content.map((block) => `${role} ${JSON.stringify(block)}`));
}

function textOf(block: ContentBlock): string {
  return block.type === 'text' ? block.text : '';
}
