/** Estimates what a model call may cost at most. Pure. */
import { ownPart, type Transcript } from '../../store/transcript/transcript.ts';
import type { FocusModel } from '../turn/focus-model.ts';
import { inputPressure, type Prefix } from './pressure.ts';

/** What a call may cost at most; `usd` is null if a model of the chain has no price. */
export interface CallCost {
  readonly usd: number | null;
  readonly tokens: number;
}

/**
 * How many times more tokens than we estimate are held: providers count with tokenizers of their own. What the provider has counted
 * itself, in the request before, is held as it is.
 */
const MARGIN = 1.5;
/** For a notice that is added while the turn begins, and the frame of a request. */
const EXTRA_TOKENS = 500;

/** The next turn of a transcript: its input at the highest price of each token, and an answer of full length. */
export function turnCost(transcript: Transcript, focus: Prefix & { readonly model: FocusModel }): CallCost {
  const estimate = inputPressure(transcript, focus);
  const counted = ownPart(transcript).turns.at(-1)?.inputTokens ?? null;
  const input = counted !== null && estimate >= counted ? counted + MARGIN * (estimate - counted) : MARGIN * estimate;
  return callCost(input + EXTRA_TOKENS, focus.model.settings.maxTokens, focus.model);
}

/** A request of its own, such as a summary; `estimate` in tokens. */
export function sideCallCost(estimate: number, maxTokens: number, model: FocusModel): CallCost {
  return callCost(MARGIN * estimate + EXTRA_TOKENS, maxTokens, model);
}

/** No request is longer than the window: the provider refuses it. */
function callCost(input: number, output: number, model: FocusModel): CallCost {
  const inputTokens = Math.ceil(Math.min(input, model.contextWindow));
  return { usd: model.maxCostUsd?.(inputTokens, output) ?? null, tokens: inputTokens + output };
}
