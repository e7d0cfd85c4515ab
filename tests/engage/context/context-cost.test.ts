import { expect, it } from 'vitest';
import { keepings, measure } from '../../bench/engage/context.ts';

// Checks what docs/context.md says about cost with a shorter run of the same benchmark.
it('a long run is cheapest with a stub at each step, and the cache serves everything that repeats', () => {
  const load = { turns: 60, callsPerTurn: 2, resultBytes: 4096, stepEvery: 5 };
  const outcomes = new Map(keepings().map((keeping) => [keeping.name, measure(load, keeping)]));
  const ours = outcomes.get('stub at each step')!;
  const whole = outcomes.get('whole history')!;
  expect(ours.inputTokens).toBeLessThan(0.2 * whole.inputTokens);
  expect(ours.usd).toBeLessThan(0.4 * whole.usd);
  for (const other of outcomes.values()) expect(ours.usd).toBeLessThanOrEqual(other.usd);
  expect(ours.cacheReadShare).toBeCloseTo(ours.extendsShare, 2);
});
