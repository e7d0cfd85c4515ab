/** Finds limits under which a faculty could never do anything, or that could not be enforced. */
import { type Faculty, modelChain } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import { type Budget, type BudgetLimit, plainAmount } from '../../core/config/sections/budget.ts';
import type { DetailsOf } from '../../core/errors/error-details.ts';
import { type Problem, placeAt, problemAt } from '../../core/errors/problem.ts';
import type { LocatedModel } from '../../llm/locate-model.ts';
import { leastTurn } from './least-turn.ts';

/** The problems of a faculty's own limits and of the appliance's, for the models of its chain. */
export function budgetProblems(faculty: Faculty, models: readonly LocatedModel[], config: Config): readonly Problem[] {
  const own = faculty.budget?.limits ?? [];
  if (modelChain(faculty.engage).length === 0) {
    return own.slice(0, 1).map((limit) => problemOf(faculty, limit, leastTurn(faculty, models)[limit.unit].says));
  }
  const appliance: Budget['limits'] = config.budget.limits;
  return [
    ...own.flatMap((limit) => faultOf(limit, faculty, models).map((fault) => problemOf(faculty, limit, fault))),
    ...appliance.flatMap((limit) =>
      faultOf(limit, faculty, models).map((fault) => {
        const origin = config.origins.get(`budget.${limit.key}`) ?? 'animus.toml';
        const detail = `${fault} ([budget] ${limit.key}, ${origin})`;
        return conflict(faculty, 'engage.model', { detail, setting: `budget.${limit.key}` });
      }),
    ),
  ];
}

function faultOf(limit: BudgetLimit, faculty: Faculty, models: readonly LocatedModel[]): string[] {
  const { amount, says } = leastTurn(faculty, models)[limit.unit];
  if (amount === null) return [says];
  if (limit.amount >= amount) return [];
  if (limit.unit === 'tokens') return [`${limit.amount} tokens is less than one answer may have: ${says}`];
  return [
    `${plainAmount(limit.amount)} USD is less than one answer may cost: ${says}; lower max_tokens, or raise the limit`,
  ];
}

function problemOf(faculty: Faculty, { key }: BudgetLimit, detail: string): Problem {
  return conflict(faculty, `budget.${key}`, { detail });
}

function conflict(
  { file, origins }: Faculty,
  key: string,
  details: DetailsOf<'config.conflict', 'file' | 'key'>,
): Problem {
  return problemAt('config.conflict', placeAt(origins[key], file, `faculty.${key}`), details);
}
