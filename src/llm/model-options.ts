import type { LlmRequest } from './client.ts';
import type { LocatedModel } from './locate-model.ts';
import { WIRES, wireOf } from './wires.ts';

/** The options of a faculty that a model may refuse. */
export type ModelOptions = Pick<
  LlmRequest,
  'maxTokens' | 'temperature' | 'stop' | 'thinkingBudgetTokens' | 'reasoningEffort'
>;

/** An option that the provider would refuse on every request. */
export interface RefusedOption {
  /** The key in the faculty's TOML. */
  readonly key: 'max_tokens' | 'temperature' | 'stop' | 'thinking_budget_tokens' | 'reasoning_effort';
  readonly expected: string;
  readonly value: unknown;
}

/**
 * Finds options that the provider of a model would refuse, so that the faculty is refused when it is loaded. For a model
 * that is not in the catalogue only the rules of its API apply.
 */
export function refusedOptions(model: LocatedModel, options: ModelOptions): readonly RefusedOption[] {
  const problems: RefusedOption[] = [];
  const refuse = (key: RefusedOption['key'], expected: string, value: unknown) =>
    problems.push({ key, expected, value });
  const { maxTokens, temperature, stop, thinkingBudgetTokens: budget, reasoningEffort: effort } = options;
  const { info, kind } = model;
  const name = `${model.provider}/${model.model}`;

  if (kind === 'scripted') return [];
  const wire = wireOf(kind, info.wire);
  const rules = WIRES[wire].options;
  if (info.maxOutput !== null && maxTokens > info.maxOutput) {
    refuse('max_tokens', `at most ${info.maxOutput} (${name})`, maxTokens);
  }
  if (temperature !== undefined) {
    if (!info.temperature) refuse('temperature', `none: ${name} accepts no temperature`, temperature);
    else if (temperature < 0 || temperature > rules.maxTemperature)
      refuse('temperature', `0 to ${rules.maxTemperature} (${name})`, temperature);
    else if (rules.thinkingBudgets && budget !== undefined && temperature !== 1) {
      refuse('temperature', 'none together with thinking_budget_tokens', temperature);
    }
  }
  if (budget !== undefined) {
    if (!rules.thinkingBudgets || (info.known && info.thinking !== 'budget')) {
      const instead = info.effort ? '; use reasoning_effort' : '';
      refuse('thinking_budget_tokens', `none: ${name} accepts no thinking budget${instead}`, budget);
    } else if (budget < 1024) refuse('thinking_budget_tokens', 'at least 1024', budget);
    else if (budget >= maxTokens) refuse('thinking_budget_tokens', `less than max_tokens (${maxTokens})`, budget);
  }
  if (effort !== undefined && info.known) {
    if (!info.effort) refuse('reasoning_effort', `none: ${name} accepts no effort`, effort);
    else if (!info.effortWithTools && wire === 'openai-chat') {
      refuse(
        'reasoning_effort',
        `none: ${name} accepts no effort together with tools on Chat Completions; use wire = "responses"`,
        effort,
      );
    }
  }
  if (stop !== undefined) {
    const silent = rules.maxStop === 0 || (!rules.stopWhileThinking && info.thinking === 'always');
    if (silent && stop.length > 0) refuse('stop', `none: ${name} accepts no stop sequences`, stop);
    else if (rules.maxStop !== null && stop.length > rules.maxStop) refuse('stop', `at most ${rules.maxStop}`, stop);
  }
  if (stop?.some((each) => each.trim() === '')) refuse('stop', 'sequences that are not blank', stop);
  return problems;
}
