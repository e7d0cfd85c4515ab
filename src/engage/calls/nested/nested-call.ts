/** Makes one call of code: validated, judged, recorded and run like a call of the model. */
import { roundMs } from '../../../core/lifecycle/round-ms.ts';
import { valueBeyond } from '../../../core/text/json-bounds.ts';
import { JSON_LIMITS, LESS_INPUT } from '../../../core/text/json-limits.ts';
import type { ToolCallBlock } from '../../../llm/client.ts';
import type { RecordedCall } from '../../../store/transcript/calls.ts';
import { span } from '../../../telemetry/spans.ts';
import { type NestedCall, type ToolOutput, toolError } from '../../../tools/tool.ts';
import { asksInCode } from '../../prompt/code-texts.ts';
import { changedInput } from '../ask-person.ts';
import { tellEntry } from '../call-end.ts';
import { type Passage, passGates, validCall } from '../gates.ts';
import type { Execution } from './execution.ts';
import { type NestedCallStart, unrecordable } from './nested-record.ts';
import { resultForCode } from './nested-result.ts';
import { type NestedEnd, runNestedCall } from './nested-run.ts';

/** Runs call `n` of an execution, in a span. Rejects when `signal` aborts, and with what ends the focus. */
export async function makeNestedCall(
  { name, input, unread }: NestedCall,
  n: number,
  execution: Execution,
  signal: AbortSignal,
): Promise<ToolOutput> {
  signal.throwIfAborted();
  const { turn, parent } = execution;
  const call: RecordedCall = {
    callId: `${parent.callId}/${n}`,
    name,
    input: (input ?? {}) as RecordedCall['input'],
    finalInput: null,
    state: 'pending',
    output: null,
    isError: false,
  };
  const attributes = { 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': call.callId, 'work.turn': turn.turn };
  return span('sandbox.tool.call', attributes, async (calling) => {
    const given = resultForCode(name, await gateAndRun(call, unread, n, execution, signal));
    calling.set({ 'work.tool.is_error': given.isError ?? false, 'work.tool.output_bytes': given.content.length });
    return given;
  });
}

async function gateAndRun(
  call: RecordedCall,
  unread: string | undefined,
  n: number,
  execution: Execution,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { name, callId } = call;
  const beyond = unread ?? valueBeyond(call.input, JSON_LIMITS.toolInput);
  const input = beyond === null ? call.input : {};
  const start: NestedCallStart = { n, name, input, finalInput: null, tool: undefined };
  const passage =
    beyond === null
      ? await passGates(call, execution.turn, signal, execution.reach)
      : await unreadable(callId, name, beyond, execution);
  switch (passage.kind) {
    case 'answered':
      return end(start, call, passage, 0, execution);
    case 'ask': {
      const output = toolError(asksInCode(passage.reason), { gate: passage.gate });
      return end(start, call, { state: 'denied', output }, 0, execution);
    }
    case 'ready': {
      const no = passage.tool.notFromCode?.(passage.input) ?? unrecordable(call.name, passage.written);
      if (no !== null) return end(start, call, { state: 'failed', output: toolError(no) }, 0, execution);
      const finalInput = changedInput(call, passage.written);
      const judged = finalInput === null ? call : { ...call, finalInput: finalInput.value };
      const begun = { ...start, finalInput, tool: passage.tool };
      const startedMs = performance.now();
      const ended = await runNestedCall(judged, begun, passage, execution, signal);
      return end(begun, judged, ended, performance.now() - startedMs, execution);
    }
    default:
      return passage satisfies never;
  }
}

/** What cannot be written down is not kept. */
async function unreadable(callId: string, name: string, beyond: string, { turn, reach }: Execution): Promise<Passage> {
  const invalidInput = `${beyond}; ${LESS_INPUT}`;
  const block: ToolCallBlock = { type: 'tool_call', id: callId, name, input: {}, invalidInput };
  const call = { callId, name, input: {}, finalInput: null, state: 'pending', output: null, isError: false } as const;
  return validCall(call, { ...turn, content: [block] }, reach.toolset);
}

/** Puts the end on record, and notifies watchers. */
function end(
  start: NestedCallStart,
  call: RecordedCall,
  { state, output, recorded = false }: NestedEnd,
  durationMs: number,
  { turn, parent, run, record, journal, onEnd }: Execution,
): ToolOutput {
  const row = record.ended(start, state, output, durationMs);
  if (!recorded) journal.add(row);
  const { callId, name } = call;
  const isError = output.isError ?? false;
  const shown = { isError, output: row.output ?? '', durationMs: roundMs(durationMs), parentCallId: parent.callId };
  run.onEvent({ type: 'observation', turn: turn.turn, callId, name, ...shown });
  if (recorded) tellEntry(name, output, run);
  onEnd({ n: start.n, name, state }, call);
  return output;
}
