import { MIN_BUDGET_TOKENS } from './anthropic/effort.ts';
import type { LlmRequest } from './client.ts';
import type { LocatedModel } from './locate-model.ts';
import type { ModelInfo } from './models/model-info.ts';
import type { OptionRules } from './wire/option-rules.ts';
import { WIRES, type WireName, wireOf } from './wires.ts';

/** The keys in a faculty's TOML of the options that a model may refuse. */
interface OptionKeys {
  maxTokens: 'max_tokens';
  temperature: 'temperature';
  stop: 'stop';
  thinkingBudgetTokens: 'thinking_budget_tokens';
  effort: 'effort';
  serviceTier: 'service_tier';
  cacheTtl: 'cache_ttl';
  outputSchema: 'outcome_schema';
}

/** The options of a faculty. */
export type ModelOptions = Pick<LlmRequest, keyof OptionKeys | 'strictTools'>;

/** An option that the provider would refuse on every request. */
export interface RefusedOption {
  readonly key: OptionKeys[keyof OptionKeys];
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
  const { maxTokens, temperature, stop, thinkingBudgetTokens: budget } = options;
  const { info, kind } = model;
  const name = `${model.provider}/${model.model}`;

  if (kind === 'scripted') return [];
  const wire = wireOf(kind, info.wire, model.model);
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
      const instead = info.effort ? '; use effort' : '';
      refuse('thinking_budget_tokens', `none: ${name} accepts no thinking budget${instead}`, budget);
    } else if (budget < 1024) refuse('thinking_budget_tokens', 'at least 1024', budget);
    else if (budget >= maxTokens) refuse('thinking_budget_tokens', `less than max_tokens (${maxTokens})`, budget);
  }
  if (stop !== undefined) {
    const silent = rules.maxStop === 0 || (!rules.stopWhileThinking && info.thinking === 'always');
    if (silent && stop.length > 0) refuse('stop', `none: ${name} accepts no stop sequences`, stop);
    else if (rules.maxStop !== null && stop.length > rules.maxStop) refuse('stop', `at most ${rules.maxStop}`, stop);
  }
  if (stop?.some((each) => each.trim() === '')) refuse('stop', 'sequences that are not blank', stop);
  return [...problems, ...refusedEffort(name, info, wire, options), ...refusedTerms(name, info, rules, options)];
}

/** An effort is a level of the model, or a share of `maxTokens` for models that think within a budget. */
function refusedEffort(
  name: string,
  info: ModelInfo,
  wire: WireName,
  { effort, maxTokens }: ModelOptions,
): readonly RefusedOption[] {
  if (effort === undefined || !info.known) return [];
  const refused = (expected: string): RefusedOption[] => [{ key: 'effort', expected, value: effort }];
  const asBudget = WIRES[wire].options.thinkingBudgets && info.thinking === 'budget' && !info.effort;
  if (asBudget) {
    if (effort === 'none' || maxTokens > MIN_BUDGET_TOKENS) return [];
    return refused(`none with max_tokens of ${MIN_BUDGET_TOKENS} or less: ${name} thinks within max_tokens`);
  }
  if (!info.effort) return refused(`none: ${name} accepts no effort`);
  if (!info.effortWithTools && wire === 'openai-chat') {
    const where = 'together with tools on Chat Completions; use wire = "responses"';
    return refused(`none: ${name} accepts no effort ${where}`);
  }
  return info.efforts.includes(effort) ? [] : refused(`one of ${info.efforts.join(', ')} (${name})`);
}

/** The class of service, the cache's lifetime, and the schema of the answer. */
function refusedTerms(
  name: string,
  info: ModelInfo,
  rules: OptionRules,
  { serviceTier, cacheTtl, outputSchema }: ModelOptions,
): readonly RefusedOption[] {
  const problems: RefusedOption[] = [];
  const tiers = info.known ? info.serviceTiers : rules.serviceTiers;
  if (serviceTier !== undefined && !tiers.includes(serviceTier)) {
    problems.push({ key: 'service_tier', expected: oneOf(tiers, name, 'service tier'), value: serviceTier });
  }
  if (cacheTtl !== undefined && !info.cacheTtls.includes(cacheTtl)) {
    problems.push({ key: 'cache_ttl', expected: oneOf(info.cacheTtls, name, 'cache lifetime'), value: cacheTtl });
  }
  if (outputSchema === undefined || info.structuredOutputs === 'none') return problems;
  const written = rules.writeSchema(outputSchema.schema, info);
  if ('problem' in written) {
    const expected = `a schema that ${name} can hold an answer to, or structured_outputs = false (${written.problem})`;
    problems.push({ key: 'outcome_schema', expected, value: outputSchema.schema });
  }
  return problems;
}

function oneOf(words: readonly string[], name: string, what: string): string {
  return words.length === 0 ? `none: ${name} takes no ${what}` : `one of ${words.join(', ')} (${name})`;
}
