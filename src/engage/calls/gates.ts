/** The gates between a model's tool call and its run: one ordered list, the same for every call. */
import { z } from 'zod';
import { withoutNulls } from '../../core/text/left-out.ts';
import type { ToolCallBlock } from '../../llm/client.ts';
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { type Tool, type ToolOutput, toolError } from '../../tools/tool.ts';
import type { CallGate } from './gate.ts';
import type { CallScope } from './run-call.ts';

/** The gates of every focus, in order. Permissions, hooks and approvals are registered here. */
export const CALL_GATES: readonly CallGate[] = [];

/** The result of the gates: the call may run with this input, or it already has its answer. */
export type Passage =
  | { readonly kind: 'ready'; readonly tool: Tool; readonly input: unknown }
  | { readonly kind: 'answered'; readonly state: 'failed' | 'denied'; readonly output: ToolOutput };

/** The parts of the focus that the gates need. */
export interface GateMeans {
  readonly toolset: ReadonlyMap<string, Tool>;
  readonly gates: readonly CallGate[];
  readonly callScope: CallScope;
  readonly signal: AbortSignal;
}

/** Finds the tool, validates the input and runs every gate. An invalid call gets a result that says what was expected. */
export async function passGates(call: RecordedCall, turn: RecordedTurn, means: GateMeans): Promise<Passage> {
  const tool = means.toolset.get(call.name);
  if (!tool) return unknownTool(call.name, means.toolset);
  let passage = validate(tool, call.input, invalidJson(call, turn));
  for (const gate of means.gates) {
    if (passage.kind === 'answered') return passage;
    const { callScope: scope, signal } = means;
    const verdict = await gate.judge({
      tool,
      input: passage.input,
      callId: call.callId,
      turn: turn.turn,
      scope,
      signal,
    });
    if (verdict.kind === 'deny') {
      return { kind: 'answered', state: 'denied', output: toolError(verdict.reason, { gate: gate.name }) };
    }
    if ('input' in verdict) passage = validate(tool, verdict.input);
  }
  return passage;
}

function unknownTool(name: string, toolset: ReadonlyMap<string, Tool>): Passage {
  const known = [...toolset.keys()].toSorted().join(', ');
  return invalid(`there is no tool named ${JSON.stringify(name)}. The tools are: ${known}`);
}

/** Why the model's input could not be parsed as JSON; undefined if it could. */
function invalidJson(call: RecordedCall, turn: RecordedTurn): string | undefined {
  const isThisCall = (part: RecordedTurn['content'][number]): part is ToolCallBlock =>
    part.type === 'tool_call' && part.id === call.callId;
  return turn.content.find(isThisCall)?.invalidInput;
}

function validate(tool: Tool, input: unknown, unreadable?: string): Passage {
  if (unreadable !== undefined) {
    return invalid(`the input of ${tool.name} was not a JSON object: ${unreadable.slice(0, 500)}`);
  }
  const parsed = parse(tool, input);
  if (!parsed.success) return invalid(`the input of ${tool.name} is invalid:\n${z.prettifyError(parsed.error)}`);
  return { kind: 'ready', tool, input: parsed.data };
}

/** A strict tool must be given every property, so null stands for one that is left out; others do the same unasked. */
function parse(tool: Tool, input: unknown) {
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return parsed;
  const fewer = withoutNulls(
    input,
    parsed.error.issues.map(({ path }) => path),
  );
  const again = fewer === null ? parsed : tool.input.safeParse(fewer);
  return again.success ? again : parsed;
}

function invalid(content: string): Passage {
  return { kind: 'answered', state: 'failed', output: { content, isError: true } };
}
