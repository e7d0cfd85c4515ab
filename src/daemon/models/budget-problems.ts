/** Finds limits under which a faculty could never do anything, or that could not be kept. */
import { type Faculty, modelChain } from '../../catalog/faculty/faculty.ts';
import type { EngageMode } from '../../catalog/faculty/modes.ts';
import type { Budget, BudgetLimit } from '../../core/config/budget.ts';
import type { Config } from '../../core/config/config.ts';
import { type Problem, problemAt } from '../../core/errors/problem.ts';
import type { LocatedModel } from '../../llm/locate-model.ts';
import { maxCostUsd } from '../../llm/models/cost.ts';
import { modelOptions } from './model-names.ts';

/** The problems of a faculty's own limits and of the appliance's, for the models of its chain. */
export function budgetProblems(faculty: Faculty, models: readonly LocatedModel[], config: Config): readonly Problem[] {
  const own = faculty.budget?.limits ?? [];
  if (modelChain(faculty.engage).length === 0) {
    return own.slice(0, 1).map((limit) => problemOf(faculty, limit, NO_MODEL[faculty.engage.mode]));
  }
  const appliance: Budget['limits'] = config.budget.limits;
  return [
    ...own.flatMap((limit) => faultsOf(limit, faculty, models).map((fault) => problemOf(faculty, limit, fault))),
    ...appliance.flatMap((limit) =>
      faultsOf(limit, faculty, models).map((fault) => {
        const origin = config.origins.get(`budget.${limit.key}`) ?? 'animus.toml';
        return conflict(faculty, 'engage.model', `${fault} ([budget] ${limit.key}, ${origin})`);
      }),
    ),
  ];
}

/** Why limits make no sense where no model does the work. */
const NO_MODEL: Readonly<Record<EngageMode, string>> = {
  builtin: 'no model does the work; remove it',
  external: 'a command does the work, and what it spends is not known here; remove it',
  code: 'code does the work, without a model, and spends nothing; remove it',
};

function faultsOf(limit: BudgetLimit, { engage }: Faculty, models: readonly LocatedModel[]): string[] {
  if (limit.unit === 'tokens') {
    if (limit.amount >= engage.maxTokens) return [];
    return [`${limit.amount} tokens are less than one answer may have: max_tokens is ${engage.maxTokens}`];
  }
  return models.flatMap(({ provider, model, info }) => {
    const name = `${provider}/${model}`;
    const answer = maxCostUsd(info, 0, engage.maxTokens, modelOptions(engage));
    if (answer === null) {
      const remedy = `give it one in animus.toml ([models."${name}"] usd_per_million), or limit tokens`;
      return [`${name} has no price, so a limit in USD cannot be kept; ${remedy}`];
    }
    const held = engage.batch ? answer * info.batchShare : answer;
    if (limit.amount >= held) return [];
    const cost = `${engage.maxTokens} tokens of ${name} cost up to ${Number(held.toPrecision(4))} USD`;
    return [`${limit.amount} USD are less than one answer may cost: ${cost}; lower max_tokens, or raise the limit`];
  });
}

function problemOf(faculty: Faculty, { key }: BudgetLimit, detail: string): Problem {
  return conflict(faculty, `budget.${key}`, detail);
}

function conflict({ file, origins }: Faculty, key: string, detail: string): Problem {
  const origin = origins[key];
  const line = origin?.startsWith(`${file}:`) ? Number(origin.slice(file.length + 1)) : null;
  return problemAt('config.conflict', { file, line, key: `faculty.${key}` }, { detail });
}
