/** How Anthropic's models are asked to think: an effort, a budget, or both. */
import type { Effort } from '../../core/config/providers/model-words.ts';
import type { LlmRequest } from '../client.ts';
import type { ModelInfo } from '../models/model-info.ts';

/** The smallest budget that the API accepts. */
export const MIN_BUDGET_TOKENS = 1024;

/** The share of `maxTokens` that a model may think at each level, for models that think within a budget. */
const BUDGET_SHARES: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.9,
  max: 0.95,
};

/** The value of `output_config.effort`; undefined where none is sent. There is no level below `low`. */
export function sentEffort({ effort }: Pick<LlmRequest, 'effort'>, model: ModelInfo): string | undefined {
  if ((model.known && !model.effort) || effort === undefined || effort === 'none') return undefined;
  return effort === 'minimal' ? 'low' : effort;
}

/**
 * The thinking budget in tokens of a model that thinks within one: as given, else a share of `maxTokens` that grows with
 * the effort. Undefined: no thinking, also where `maxTokens` leaves no room for the smallest budget beside an answer.
 */
export function budgetOf(
  { thinkingBudgetTokens, effort, maxTokens }: Pick<LlmRequest, 'thinkingBudgetTokens' | 'effort' | 'maxTokens'>,
  model: Pick<ModelInfo, 'thinking'>,
): number | undefined {
  if (thinkingBudgetTokens !== undefined) return thinkingBudgetTokens;
  if (model.thinking !== 'budget' || effort === undefined || effort === 'none') return undefined;
  if (maxTokens <= MIN_BUDGET_TOKENS) return undefined;
  return Math.max(MIN_BUDGET_TOKENS, Math.floor(maxTokens * BUDGET_SHARES[effort]));
}
