import {
  type Arbitrary,
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  option,
  property,
  record,
  string,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MessageKind } from '../../../src/core/work/words.ts';
import type { LedgerType } from '../../../src/core/work/work.ts';
import { planCompaction } from '../../../src/engage/context/compaction.ts';
import { renderMessages } from '../../../src/engage/context/context.ts';
import { contextLimits } from '../../../src/engage/context/context-bounds.ts';
import { keptFrom } from '../../../src/engage/context/context-folds.ts';
import { ledgerWrites } from '../../../src/engage/context/ledger-writes.ts';
import { type ContextSettings, planContext, withPlan } from '../../../src/engage/context/plan-context.ts';
import { estimateMessages, inputPressure } from '../../../src/engage/context/pressure.ts';
import { NARRATIVE_HEADING, summaryText } from '../../../src/engage/prompt/prompt.ts';
import { anthropicBody } from '../../../src/llm/anthropic/request.ts';
import type { ContentBlock, Message } from '../../../src/llm/client.ts';
import { modelInfo } from '../../../src/llm/models/models.ts';
import { openaiBody } from '../../../src/llm/openai/request.ts';
import type { OpenHandle } from '../../../src/store/open/open-handles.ts';
import type { RecordedCall } from '../../../src/store/transcript/calls.ts';
import type { EngineMessage } from '../../../src/store/transcript/messages.ts';
import type { Transcript } from '../../../src/store/transcript/transcript.ts';
import type { RecordedTurn } from '../../../src/store/transcript/turns.ts';
import { refusalOf } from '../../support/model-server/anthropic-rules.ts';
import { refusalOf as openaiRefusalOf } from '../../support/model-server/openai-rules.ts';
import type { RecordedRequest } from '../../support/model-server/server.ts';

const FROM = { provider: 'anthropic', model: 'm' };
const PREFIX = {
  systemPrompt: 'You work.',
  toolSpecs: [{ name: 'look', description: '', inputSchema: { type: 'object' } }],
};

interface CallSpec {
  readonly write: LedgerType | null;
  readonly text: string;
  readonly bytes: number;
  readonly isError: boolean;
  /** It opens a child that stays open. */
  readonly opens: boolean;
}

interface TurnSpec {
  readonly shape: 'calls' | 'paused' | 'empty' | 'cut';
  readonly text: string;
  readonly thinks: boolean;
  readonly calls: readonly CallSpec[];
  readonly message: { readonly kind: MessageKind; readonly text: string } | null;
  /** The provider's count in relation to our estimate; null: it did not count. */
  readonly miscount: number | null;
}

interface RunSpec {
  readonly window: number;
  readonly stubs: boolean;
  readonly nudgeInterval: number;
  readonly thinks: boolean;
  readonly keepRecent: number;
  readonly narrates: boolean;
  readonly turns: readonly TurnSpec[];
}

// Without line breaks: a stub indents the lines of an entry (fence.test.ts), so that a text with several is not found as it was.
const words = string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.replaceAll(/[\n\r\u2028\u2029]/g, ' '));

const call: Arbitrary<CallSpec> = record({
  write: oneof(
    { weight: 3, arbitrary: constant(null) },
    { weight: 2, arbitrary: constantFrom<LedgerType[]>('plan', 'finding', 'decision', 'error', 'note') },
    { weight: 1, arbitrary: constant<LedgerType>('step') },
  ),
  text: words,
  bytes: oneof(
    { weight: 5, arbitrary: integer({ min: 0, max: 3000 }) },
    { weight: 2, arbitrary: integer({ min: 10_000, max: 90_000 }) },
  ),
  isError: boolean(),
  opens: integer({ min: 0, max: 9 }).map((n) => n === 0),
});

const turn: Arbitrary<TurnSpec> = record({
  shape: oneof(
    { weight: 12, arbitrary: constant('calls' as const) },
    { weight: 1, arbitrary: constantFrom('paused' as const, 'empty' as const, 'cut' as const) },
  ),
  text: words,
  thinks: boolean(),
  calls: array(call, { minLength: 1, maxLength: 7 }),
  message: option(record({ kind: constantFrom<MessageKind[]>('operator', 'skill', 'notice', 'hook'), text: words }), {
    freq: 6,
  }),
  miscount: option(integer({ min: -500, max: 3000 })),
});

const run: Arbitrary<RunSpec> = record({
  window: constantFrom(12_000, 16_000, 32_000, 200_000),
  stubs: integer({ min: 0, max: 5 }).map((n) => n > 0),
  nudgeInterval: integer({ min: 0, max: 4 }),
  thinks: boolean(),
  keepRecent: integer({ min: 0, max: 12 }),
  narrates: boolean(),
  turns: array(turn, { minLength: 5, maxLength: 16, size: 'max' }),
});

describe('a context, whatever happens in it', () => {
  it('is valid, loses nothing that the agent recorded, and changes only at its end', () => {
    let folds = { stub: 0, summary: 0 };
    assert(
      property(run, (spec) => {
        folds = walk(spec, folds);
      }),
      { numRuns: 60 },
    );
    // The histories did exercise both layers.
    expect(folds.stub).toBeGreaterThan(20);
    expect(folds.summary).toBeGreaterThan(5);
  });
});

/** Plays a history turn by turn, as the loop does, and checks every request. */
function walk(spec: RunSpec, folds: { stub: number; summary: number }): { stub: number; summary: number } {
  const settings = settingsOf(spec);
  let transcript: Transcript = {
    turns: [],
    messages: [
      { afterTurn: 0, kind: 'orient', content: '# Work' },
      { afterTurn: 0, kind: 'skill', content: 'A skill.' },
    ],
  };
  let before = renderMessages(transcript);
  const handles: OpenHandle[] = [];
  const counts = { ...folds };
  for (const [index, one] of spec.turns.entries()) {
    const number = index + 1;
    const asked = estimateMessages(before);
    const counted = one.miscount === null ? null : Math.max(0, asked + one.miscount);
    const taken = recordedTurn(number, one, handles, counted);
    const arrived = {
      turns: [...transcript.turns, taken],
      messages: [...transcript.messages, ...saidAfter(number, one)],
    };
    const settled = settle(arrived, handles, settings);
    if (counted !== null) {
      const grown = estimateMessages(renderMessages(settled)) - asked;
      expect(inputPressure(settled, PREFIX)).toBe(Math.max(0, counted + grown));
    }
    transcript = compacted(settled, handles, spec, settings);
    const rendered = renderMessages(transcript);

    checkLegal(rendered, spec.thinks);
    checkKept(transcript, rendered, handles);
    const made = transcript.messages.slice(arrived.messages.length);
    if (made.some(({ kind }) => kind === 'stub')) counts.stub += 1;
    if (made.some(({ kind }) => kind === 'summary')) counts.summary += 1;
    checkTail(before, rendered, made, openingOf(arrived));
    // Read back from rows and planned again, as after a crash: the same bytes.
    const reread = JSON.parse(JSON.stringify(transcript)) as Transcript;
    expect(renderMessages(settle(reread, handles, settings))).toEqual(rendered);
    before = rendered;
  }
  return counts;
}

function settingsOf(spec: RunSpec): ContextSettings {
  const bounds = {
    compactThreshold: 0.7,
    compactKeepRecent: spec.keepRecent,
    ledgerNudgeInterval: spec.nudgeInterval,
    truncateClosedBlocks: spec.stubs,
  };
  const limits = contextLimits(bounds, { contextWindow: spec.window, settings: { maxTokens: 1000 } });
  return { ...bounds, focusId: 'f', limits, maxTurns: 12, thinks: spec.thinks };
}

function settle(transcript: Transcript, handles: readonly OpenHandle[], settings: ContextSettings): Transcript {
  const { oversized, messages } = planContext(transcript, handles, settings);
  return withPlan(transcript, oversized, messages);
}

function compacted(transcript: Transcript, handles: readonly OpenHandle[], spec: RunSpec, { limits }: ContextSettings) {
  if (inputPressure(transcript, PREFIX) <= limits.prompt) return transcript;
  const ledger = transcript.turns.flatMap(ledgerWrites);
  const plan = planCompaction(transcript, {
    ledger,
    handles,
    prefix: PREFIX,
    keepRecent: spec.keepRecent,
    promptTokens: limits.prompt,
    summaryTokens: limits.summary,
  });
  if (!plan) return transcript;
  const narrated = spec.narrates && plan.thin && !plan.content.startsWith(NARRATIVE_HEADING);
  const content = narrated
    ? summaryText({ narrative: 'It went well.', groups: [], handles: [] }) + plan.content
    : plan.content;
  const summary: EngineMessage = {
    afterTurn: transcript.turns.length,
    kind: 'summary',
    content,
    keepsFrom: plan.keepsFrom,
  };
  return { ...transcript, messages: [...transcript.messages, summary] };
}

function checkLegal(messages: readonly Message[], thinks: boolean): void {
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

function checkKept(transcript: Transcript, rendered: readonly Message[], handles: readonly OpenHandle[]): void {
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
function checkTail(
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
function openingOf(transcript: Transcript): Message[] {
  return renderMessages({ turns: [], messages: transcript.messages });
}

function flat(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) => content.map((block) => `${role} ${JSON.stringify(block)}`));
}

function textOf(block: ContentBlock): string {
  return block.type === 'text' ? block.text : '';
}

function recordedTurn(number: number, spec: TurnSpec, handles: OpenHandle[], inputTokens: number | null): RecordedTurn {
  const specs = spec.shape === 'calls' ? spec.calls : [];
  const calls = specs.map((one, index) => recordedCall(number, index, one, handles));
  const thinking: ContentBlock = { type: 'thinking', text: 'hm', signature: 's', ...FROM };
  const content: ContentBlock[] = [
    ...(spec.thinks ? [thinking] : []),
    ...(spec.shape === 'empty' ? [] : [{ type: 'text' as const, text: `${spec.text} turn ${number}.` }]),
    ...calls.map(({ callId, name, input }) => ({ type: 'tool_call' as const, id: callId, name, input })),
  ];
  const stops = { calls: 'tool_use', paused: 'pause_turn', empty: 'end_turn', cut: 'max_tokens' } as const;
  return {
    turn: number,
    ...FROM,
    content: spec.shape === 'empty' ? [] : content,
    stopReason: stops[spec.shape],
    cutToolCalls: spec.shape === 'cut' ? ['look'] : [],
    inputTokens,
    calls,
  };
}

function recordedCall(turn: number, index: number, spec: CallSpec, handles: OpenHandle[]): RecordedCall {
  const callId = `c${turn}_${index}`;
  if (spec.write) {
    const input = { type: spec.write, content: `${callId}: ${spec.text}` };
    const state = spec.isError ? 'failed' : 'done';
    return { callId, name: 'ledger_append', input, state, output: 'recorded', isError: spec.isError };
  }
  const child = `child-${turn}-${index}`;
  if (spec.opens) handles.push({ kind: 'child', id: child });
  const output = (spec.opens ? `${child} ` : '') + (spec.text || 'ü世').repeat(Math.ceil(spec.bytes / 8) + 1);
  const state = spec.isError ? 'in_doubt' : 'done';
  return { callId, name: 'look', input: { text: spec.text }, state, output, isError: spec.isError };
}

/** Messages that verdicts, people and skills add after a turn. */
function saidAfter(afterTurn: number, { shape, message }: TurnSpec): EngineMessage[] {
  if (shape === 'paused') return [];
  const told: EngineMessage[] = message ? [{ afterTurn, kind: message.kind, content: `${message.text} told` }] : [];
  if (shape === 'calls') return told;
  return [{ afterTurn, kind: shape === 'empty' ? 'nudge' : 'notice', content: 'Go on.' }, ...told];
}
