import { textBeyond, valueBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS, LESS_INPUT } from '../../core/text/json-limits.ts';
import type { StopReason, ToolCallBlock } from '../client.ts';
import { asObject, parseJson } from './loose-json.ts';

/** A call as received: `json` is the text of its input; null if the input came as an object. */
export interface GatheredCall {
  readonly id: string;
  readonly name: string;
  readonly json: string | null;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Converts a call for the engine; null if the call was cut off. Nothing is repaired: input that is not a JSON object is
 * kept as `invalidInput`. If an answer stopped early, its last call counts as cut off when its input does not parse or is
 * empty (otherwise an empty input means no arguments).
 */
export function finishToolCall(call: GatheredCall, cut: boolean): ToolCallBlock | null {
  const { id, name, json } = call;
  if (json === null) return { type: 'tool_call', id, name, ...bounded(call.input) };
  if (json.trim() === '') return cut ? null : { type: 'tool_call', id, name, input: {} };
  const beyond = textBeyond(json, JSON_LIMITS.toolInput);
  if (beyond !== null) return { type: 'tool_call', id, name, input: {}, invalidInput: `${beyond}; ${LESS_INPUT}` };
  const input = asObject(parseJson(json));
  if (input) return { type: 'tool_call', id, name, input };
  return cut ? null : { type: 'tool_call', id, name, input: {}, invalidInput: json };
}

function bounded(input: Readonly<Record<string, unknown>>): Pick<ToolCallBlock, 'input' | 'invalidInput'> {
  const beyond = valueBeyond(input, JSON_LIMITS.toolInput);
  return beyond === null ? { input } : { input: {}, invalidInput: `${beyond}; ${LESS_INPUT}` };
}

/** True for stop reasons that may have cut off the last block. */
export function cutsAnswers(stop: StopReason): boolean {
  return stop === 'max_tokens' || stop === 'context_overflow' || stop === 'refusal' || stop === 'other';
}

/**
 * The input to send back for a call: the original, or the invalid text under a key of its own, because providers accept
 * only JSON objects here.
 */
export function inputToSendBack(call: ToolCallBlock): Readonly<Record<string, unknown>> {
  return call.invalidInput === undefined ? call.input : { INVALID_JSON: call.invalidInput };
}
