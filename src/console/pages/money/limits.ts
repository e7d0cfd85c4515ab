/** Limits of what work may cost: what they are of, in which order they stand, and how full they are. */
import type { Budget, SetBudgetInput } from '../../../client/client.ts';

/** What a new limit can be of. */
export const KINDS = ['appliance', 'faculty', 'each-item', 'each-root', 'item', 'root'] as const;
export type Kind = (typeof KINDS)[number];
export type Unit = Budget['unit'];

/** What a kind needs to be told. */
export function subjectOf(kind: Kind): 'none' | 'faculty' | 'id' {
  if (kind === 'appliance') return 'none';
  return kind === 'item' || kind === 'root' ? 'id' : 'faculty';
}

/** Items and roots have no period. */
export function hasPeriod(kind: Kind): boolean {
  return kind === 'appliance' || kind === 'faculty';
}

export interface Draft {
  readonly kind: Kind;
  readonly subject: string;
  readonly period: 'day' | 'month';
  readonly unit: Unit;
  readonly amount: number;
  readonly onExceeded: 'wait' | 'die';
}

export function inputOf({ kind, subject, period, unit, amount, onExceeded }: Draft): SetBudgetInput {
  const scope = kind === 'each-item' ? 'item' : kind === 'each-root' ? 'root' : kind;
  return {
    scope,
    period: hasPeriod(kind) ? period : 'none',
    unit,
    amount,
    on_exceeded: onExceeded,
    ...(kind !== 'appliance' && { subject: subject.trim() }),
  };
}

/** The same limit with another amount. */
export function changedOf(budget: Budget, amount: number, onExceeded: 'wait' | 'die'): SetBudgetInput {
  return { ...whichOf(budget), unit: budget.unit, amount, on_exceeded: onExceeded };
}

/** What names a limit. */
export function whichOf({ scope, subject, period, unit }: Budget) {
  return {
    scope: scope as SetBudgetInput['scope'],
    period: period as NonNullable<SetBudgetInput['period']>,
    unit,
    ...(subject !== null && { subject }),
  };
}

/** How much of it is used, from 0; null: it is a limit of each item, of which none is meant. */
export function fillOf({ used, amount }: Budget): number | null {
  return used === null || amount <= 0 ? null : used / amount;
}

/** It is nobody's in a file, so that it can be removed. */
export function isSet({ origin }: Budget): boolean {
  return origin === 'operator' || origin === 'submitter';
}

const ORDER = ['appliance', 'faculty', 'root', 'item'];

/** For everything first, then of faculties, roots and items; the fullest first. */
export function ordered(budgets: readonly Budget[]): readonly Budget[] {
  return budgets.toSorted(
    (one, other) =>
      ORDER.indexOf(one.scope) - ORDER.indexOf(other.scope) ||
      (fillOf(other) ?? -1) - (fillOf(one) ?? -1) ||
      (one.subject ?? '').localeCompare(other.subject ?? ''),
  );
}
