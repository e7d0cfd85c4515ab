import { expect, test } from 'vitest';
import { modelInfo, modelSources } from '../../../src/llm/models/models.ts';

test('a model that is to be like one that the catalogue does not have is unknown', () => {
  const overrides = { 'p/m': { like: 'nowhere/x' } };
  expect(modelSources('p', 'm', overrides)).toEqual({ overrides: ['p/m'], catalogue: null });
  expect(modelInfo('p', 'm', overrides)).toEqual({ ...modelInfo('p', 'm'), known: true });
});
