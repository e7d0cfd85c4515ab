/** The gates between a tool call and its run: one ordered list, the same for every call. */
import { z } from 'zod';
import { valueBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS, LESS_INPUT } from '../../core/text/json-limits.ts';
import { withoutNulls } from '../../core/text/left-out.ts';
import type { ToolCallBlock } from '../../llm/client.ts';
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { type Tool, type ToolOutput, toolError } from '../../tools/tool.ts';
import type { CallScope } from './call-scope.ts';
import type { CallGate, GatedCall, GateVerdict } from './gate.ts';
import type { Reach } from './reach.ts';

/** The result of the gates. */
export type Passage =
  /** The call may run. */
  | ValidCall
  /** It may run if a person approves it. */
  | Ask
  /** It already has its answer. */
  | { readonly kind: 'answered'; readonly state: 'failed' | 'denied'; readonly output: ToolOutput };

/** A person has to approve the call; the first gate that asks is named. */
export interface Ask {
  readonly kind: 'ask';
  readonly gate: string;
  /** For people: which rule asks. */
  readonly reason: string;
  /** Until the answer is no. */
  readonly seconds: number;
  readonly call: ValidCall;
}

/** A call of a tool that exists, with a valid input. */
export interface ValidCall {
  readonly kind: 'ready';
  readonly tool: Tool;
  /** As parsed by the tool's schema. */
  readonly input: unknown;
  /** What was parsed: the model's input, or that of a gate or a person in its place. */
  readonly written: unknown;
}

/**
 * Finds the tool, validates the input and runs the gates; `only` chooses among them, by default all. An invalid call gets a result that says what
 * was expected. A call that had its input changed is judged with the change.
 */
export async function passGates(
  call: RecordedCall,
  turn: RecordedTurn,
  signal: AbortSignal,
  { toolset, guard, callScope }: Pick<Reach, 'toolset' | 'guard' | 'callScope'>,
  only: (gate: CallGate, call: GatedCall) => boolean = () => true,
): Promise<Passage> {
  let valid = await validCall(call, turn, toolset);
  let asked: Ask | null = null;
  for (const gate of guard.gates) {
    if (valid.kind === 'answered') return valid;
    const gated = gatedCall(call, turn, valid, callScope, signal);
    if (!only(gate, gated)) continue;
    const verdict = await gate.judge(gated);
    switch (verdict.kind) {
      case 'deny':
        return {
          kind: 'answered',
          state: 'denied',
          output: toolError(verdict.reason, { ...verdict.details, gate: gate.name }),
        };
      case 'ask':
        asked ??= { ...askOf(verdict), gate: gate.name, call: valid };
        break;
      case 'pass':
        if ('input' in verdict) valid = await validInput(valid.tool, verdict.input);
        break;
      default:
        return verdict satisfies never;
    }
  }
  return asked !== null && valid.kind === 'ready' ? { ...asked, call: valid } : valid;
}

const ASK_SECONDS = 86_400;
const MAX_PROBLEMS = 20;
const MAX_PROBLEM_CHARS = 8000;

function askOf({ kind, reason, deadlineSeconds = ASK_SECONDS }: Extract<GateVerdict, { kind: 'ask' }>) {
  return { kind, reason, seconds: deadlineSeconds };
}

/** For gates that judge at once and always alike: those that may judge a call that has started, or that a person has approved. */
export function judgesNow(gate: CallGate, call: GatedCall): boolean {
  return gate.when(call) === 'now';
}

/** The call as its gates see it first; or its answer, if there is no such tool or its input is invalid. */
export async function validCall(
  call: RecordedCall,
  turn: RecordedTurn,
  toolset: ReadonlyMap<string, Tool>,
): Promise<Exclude<Passage, Ask>> {
  const tool = toolset.get(call.name);
  if (!tool) return unknownTool(call.name, toolset);
  if (call.finalInput !== null) return validInput(tool, call.finalInput);
  return validInput(tool, call.input, invalidJson(call, turn));
}

export function gatedCall(
  { callId }: RecordedCall,
  { turn }: RecordedTurn,
  { tool, input }: ValidCall,
  scope: CallScope,
  signal: AbortSignal,
): GatedCall {
  return { tool, input, callId, turn, scope, signal };
}

function unknownTool(name: string, toolset: ReadonlyMap<string, Tool>): Extract<Passage, { kind: 'answered' }> {
  const known = [...toolset.keys()].toSorted().join(', ');
  return invalid(`there is no tool named ${JSON.stringify(name)}. The tools are: ${known}`);
}

/** Why the model's input could not be parsed as JSON; undefined if it could. */
function invalidJson(call: RecordedCall, turn: RecordedTurn): string | undefined {
  const isThisCall = (part: RecordedTurn['content'][number]): part is ToolCallBlock =>
    part.type === 'tool_call' && part.id === call.callId;
  return turn.content.find(isThisCall)?.invalidInput;
}

/** The input as the tool's schema parses it, or the answer that says what is wrong; `unreadable` says why the model's text was not JSON. */
export async function validInput(tool: Tool, written: unknown, unreadable?: string): Promise<Exclude<Passage, Ask>> {
  if (unreadable !== undefined) {
    return invalid(`the input of ${tool.name} was not a JSON object: ${unreadable.slice(0, 500)}`);
  }
  const beyond = valueBeyond(written, JSON_LIMITS.toolInput);
  if (beyond !== null) return invalid(`the input of ${tool.name} is too large: ${beyond}; ${LESS_INPUT}`);
  const parsed = await parse(tool, written);
  if (!parsed.success) return invalid(`the input of ${tool.name} is invalid:\n${problemsOf(parsed.error)}`);
  return { kind: 'ready', tool, input: parsed.data, written };
}

/** A strict tool must be given every property, so null stands for one that is left out; others do the same unasked. */
async function parse(tool: Tool, input: unknown) {
  const parsed = await tool.input.safeParseAsync(input);
  if (parsed.success) return parsed;
  const fewer = withoutNulls(
    input,
    parsed.error.issues.map(({ path }) => path),
  );
  const again = fewer === null ? parsed : await tool.input.safeParseAsync(fewer);
  return again.success ? again : parsed;
}

/** The first problems: a value that is wrong everywhere has as many as it has parts. */
function problemsOf({ issues }: z.ZodError): string {
  const text = z.prettifyError(new z.ZodError(issues.slice(0, MAX_PROBLEMS)));
  const shown = text.length <= MAX_PROBLEM_CHARS ? text : `${text.slice(0, MAX_PROBLEM_CHARS).toWellFormed()}…`;
  return issues.length <= MAX_PROBLEMS ? shown : `${shown}\n(and ${issues.length - MAX_PROBLEMS} more)`;
}

function invalid(content: string): Extract<Passage, { kind: 'answered' }> {
  return { kind: 'answered', state: 'failed', output: { content, isError: true } };
}
