/** The turns and messages that the store would hold of a generated run. */
import type { ContentBlock } from '../../../src/llm/client.ts';
import type { OpenHandle } from '../../../src/store/open/open-handles.ts';
import type { RecordedCall } from '../../../src/store/transcript/calls.ts';
import type { EngineMessage } from '../../../src/store/transcript/messages.ts';
import type { RecordedTurn } from '../../../src/store/transcript/turns.ts';
import type { CallSpec, TurnSpec } from './arbitrary-run.ts';

const FROM = { provider: 'anthropic', model: 'm' };

/** The turn with its calls, which have ended. The children that they open are added to `handles`. */
export function recordedTurn(
  number: number,
  spec: TurnSpec,
  handles: OpenHandle[],
  inputTokens: number | null,
): RecordedTurn {
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
    return { callId, name: 'ledger_append', input, finalInput: null, state, output: 'recorded', isError: spec.isError };
  }
  const child = `child-${turn}-${index}`;
  if (spec.opens) handles.push({ kind: 'child', id: child });
  const output = (spec.opens ? `${child} ` : '') + (spec.text || 'ü世').repeat(Math.ceil(spec.bytes / 8) + 1);
  const state = spec.isError ? 'in_doubt' : 'done';
  return { callId, name: 'look', input: { text: spec.text }, finalInput: null, state, output, isError: spec.isError };
}

/** Messages that verdicts, people and skills add after a turn. */
export function saidAfter(afterTurn: number, { shape, message }: TurnSpec): EngineMessage[] {
  if (shape === 'paused') return [];
  const told: EngineMessage[] = message ? [{ afterTurn, kind: message.kind, content: `${message.text} told` }] : [];
  if (shape === 'calls') return told;
  return [{ afterTurn, kind: shape === 'empty' ? 'nudge' : 'notice', content: 'Go on.' }, ...told];
}
