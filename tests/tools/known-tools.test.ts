/** The table by which the files of faculties are checked is what the tools say of themselves. */
import { expect, test } from 'vitest';
import { toolTable } from '../../src/tools/known-tools.ts';
import { describeTools } from '../../src/tools/registry.ts';

test('src/tools/known-tools.json is what the tools say; otherwise run: npm run tools', () => {
  expect(toolTable()).toEqual(JSON.parse(JSON.stringify(describeTools())));
});
