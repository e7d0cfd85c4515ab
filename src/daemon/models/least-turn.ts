/** What a turn of a faculty costs at least under a limit: an answer of full length is held before each request. */
import { type Faculty, modelChain } from '../../catalog/faculty/faculty.ts';
import type { EngageMode } from '../../catalog/faculty/modes.ts';
import { type BudgetUnit, plainAmount } from '../../core/config/sections/budget.ts';
import type { LocatedModel } from '../../llm/locate-model.ts';
import { maxCostUsd } from '../../llm/models/cost.ts';
import type { LeastCost } from '../../store/work/daemons.ts';
import { modelOptions } from './model-names.ts';

/** By unit. No limit below it can be set (`animus.set_budget`), and no file with one is loaded. */
export function leastTurn(
  { engage }: Pick<Faculty, 'engage'>,
  models: readonly LocatedModel[],
): Readonly<Record<BudgetUnit, LeastCost>> {
  if (modelChain(engage).length === 0) {
    const none = { amount: null, says: NO_MODEL[engage.mode] };
    return { usd: none, tokens: none };
  }
  const tokens = { amount: engage.maxTokens, says: `max_tokens is ${engage.maxTokens}` };
  return { usd: dearest(models.map((model) => answerCost(model, engage))), tokens };
}

/** Why limits make no sense where no model does the work. */
const NO_MODEL: Readonly<Record<EngageMode, string>> = {
  builtin: 'no model does the work; remove it',
  external: 'a command does the work, and what it spends is not known here; remove it',
  code: 'code does the work, without a model, and spends nothing; remove it',
};

/** An answer without any prompt. */
function answerCost({ provider, model, info }: LocatedModel, engage: Faculty['engage']): LeastCost {
  const name = `${provider}/${model}`;
  const answer = maxCostUsd(info, 0, engage.maxTokens, modelOptions(engage));
  if (answer === null) {
    const remedy = `give it one in animus.toml ([models."${name}"] usd_per_million), or limit tokens`;
    return { amount: null, says: `${name} has no price, so a limit in USD cannot be enforced; ${remedy}` };
  }
  const amount = engage.batch ? answer * info.batchShare : answer;
  return {
    amount,
    says: `${engage.maxTokens} tokens of ${name} cost up to ${plainAmount(Number(amount.toPrecision(4)))} USD`,
  };
}

/** One without a price comes first: nothing can be held for it. */
function dearest(costs: readonly LeastCost[]): LeastCost {
  return costs.reduce((one, other) => {
    if (one.amount === null || other.amount === null) return one.amount === null ? one : other;
    return other.amount > one.amount ? other : one;
  });
}
