/** What turns have cost, as charts show it. */
import type { Model } from '../../../../client/client.ts';
import type { TurnRow } from './rows.ts';

type Values = readonly (number | null)[];

interface Cost {
  readonly contexts: Values;
  readonly cached: Values;
  readonly fresh: Values;
  readonly outputs: Values;
  readonly costs: Values;
  readonly sums: Values;
  readonly seconds: Values;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly total: number;
  readonly largest: number;
  readonly longestSeconds: number;
}

export function costOf(turns: readonly TurnRow[]): Cost {
  const contexts = turns.map(({ tokens }) => tokens?.input ?? null);
  const cached = turns.map(({ tokens }) => tokens?.cacheRead ?? null);
  const outputs = turns.map(({ tokens }) => tokens?.output ?? null);
  const costs = turns.map(({ costUsd }) => costUsd);
  const seconds = turns.map(({ begunMs, endMs }) => (endMs === null ? null : (endMs - begunMs) / 1000));
  let sum = 0;
  return {
    contexts,
    cached,
    fresh: turns.map(({ tokens }) => (tokens === null ? null : tokens.input - tokens.cacheRead)),
    outputs,
    costs,
    sums: costs.map((cost) => (sum += cost ?? 0)),
    seconds,
    input: total(contexts),
    output: total(outputs),
    cacheRead: total(cached),
    total: total(costs),
    largest: largest(contexts),
    longestSeconds: largest(seconds),
  };
}

function total(values: Values): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

function largest(values: Values): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

/** The context window of the model of the last turn; null: it is not known. */
export function windowOf(turns: readonly TurnRow[], models: readonly Model[]): number | null {
  const last = turns.at(-1)?.model ?? '';
  const found =
    models.find(({ provider, model }) => `${provider}/${model}` === last) ??
    models.find(({ model }) => last.endsWith(`/${model}`));
  return found?.context_window ?? null;
}
