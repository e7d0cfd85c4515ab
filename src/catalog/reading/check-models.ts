/** Checks the models of a faculty and their options. */
import { didYouMean } from '../../core/errors/suggest.ts';
import { conflict, type FacultyCheck, given } from './faculty-check.ts';

/** Checks that each provider exists and that no model is twice in the chain. */
export function checkModels(check: FacultyCheck, providerNames: readonly string[] | undefined): void {
  const engage = (key: string) => given(check, 'engage', key);
  const model = engage('model');
  const fallbacks = engage('fallback_models');
  const asked: unknown[] = [model];
  checkProvider(check, 'model', model, providerNames);
  for (const fallback of Array.isArray(fallbacks) ? fallbacks : []) {
    checkProvider(check, 'fallback_models', fallback, providerNames);
    if (asked.includes(fallback))
      conflict(check, ['engage', 'fallback_models'], `${fallback} is already in the chain of models`);
    asked.push(fallback);
  }
  if (engage('batch') === true && Array.isArray(fallbacks) && fallbacks.length > 0)
    conflict(check, ['engage', 'batch'], 'a turn in a batch is asked of one model; remove fallback_models, or batch');
  if (engage('batch') === true && engage('service_tier') !== undefined)
    conflict(check, ['engage', 'batch'], 'a batch has no service tier; remove service_tier, or batch');
}

function checkProvider(
  check: FacultyCheck,
  key: string,
  model: unknown,
  providerNames: readonly string[] | undefined,
): void {
  if (typeof model !== 'string' || !model.includes('/') || providerNames === undefined) return;
  const provider = model.slice(0, model.indexOf('/'));
  if (providerNames.includes(provider)) return;
  const hint = didYouMean(provider, providerNames) || ` (known: ${providerNames.join(', ')})`;
  conflict(check, ['engage', key], `no provider named ${provider}${hint}`);
}

/** Finds combinations that providers answer with status 400, before anything runs. */
export function checkThinking(check: FacultyCheck): void {
  const engage = (key: string) => given(check, 'engage', key);
  const thinking = engage('thinking_budget_tokens');
  const key = engage('effort') === undefined ? 'reasoning_effort' : 'effort';
  const effort = engage(key);
  if (typeof thinking === 'number') {
    const maxTokens = engage('max_tokens') ?? check.document.sound?.faculty.engage.max_tokens ?? 8192;
    if (typeof maxTokens === 'number' && thinking >= maxTokens) {
      const detail = `must be less than max_tokens (${maxTokens}), which includes the thinking`;
      conflict(check, ['engage', 'thinking_budget_tokens'], detail);
    }
    if (effort !== undefined) {
      conflict(check, ['engage', key], 'thinking_budget_tokens is also set; keep one of them');
    }
  }
  if (key === 'effort' && engage('reasoning_effort') !== undefined) {
    conflict(check, ['engage', 'reasoning_effort'], 'effort is also set; keep only effort, its new name');
  }
  if (engage('temperature') !== undefined && (thinking !== undefined || (effort !== undefined && effort !== 'none'))) {
    conflict(check, ['engage', 'temperature'], 'a thinking model accepts no temperature; remove it');
  }
}
