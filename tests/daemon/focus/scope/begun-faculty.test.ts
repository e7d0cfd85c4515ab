import { expect, test } from 'vitest';
import type { EngageSettings, Faculty } from '../../../../src/catalog/faculty/faculty.ts';
import { asBegun } from '../../../../src/daemon/focus/scope/begun-faculty.ts';

const LOADED = {
  mode: 'builtin',
  model: 'claude-opus-5',
  effort: 'max',
  serviceTier: 'standard',
  cacheTtl: '1h',
  structuredOutputs: true,
  strictTools: true,
  tools: ['bash'],
} as unknown as EngageSettings;
const loaded = { name: 'f', engage: LOADED } as Faculty;

test('a focus keeps the settings of its requests, and nothing that grants power', () => {
  const recorded = {
    ...LOADED,
    effort: 'low',
    serviceTier: null,
    cacheTtl: '5m',
    structuredOutputs: false,
    strictTools: false,
    tools: ['bash', 'write_file'],
  };
  expect(asBegun(loaded, { engage: recorded }).engage).toEqual({ ...recorded, tools: ['bash'] });
});

test('one that an earlier animus began is asked as then: its effort by the old name, no schemas, no strict tools', () => {
  const recorded = { mode: 'builtin', model: 'claude-opus-5', reasoningEffort: 'low', thinkingBudgetTokens: null };
  expect(asBegun(loaded, { engage: recorded }).engage).toMatchObject({
    effort: 'low',
    serviceTier: null,
    cacheTtl: null,
    structuredOutputs: false,
    strictTools: false,
  });
});

test('of a record that cannot be read, the models count: they say to whom the words of the focus went', () => {
  const recorded = { ...LOADED, model: 'own/m', effort: 'huge', cacheTtl: '5m' };
  expect(asBegun(loaded, { engage: recorded }).engage).toEqual({ ...LOADED, model: 'own/m' });
  expect(asBegun(loaded, { engage: { ...LOADED, model: 7 } })).toBe(loaded);
  expect(asBegun(loaded, null)).toBe(loaded);
});
