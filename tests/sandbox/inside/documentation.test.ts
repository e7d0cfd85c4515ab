import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RESULTS } from '../../../src/sandbox/sdk/results.ts';

const PAGE = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');

it('names every typed result, with its fields', () => {
  const table = PAGE.slice(PAGE.indexOf('### Results of tools'), PAGE.indexOf('### What comes back'));
  for (const [tool, { defines, source }] of Object.entries(RESULTS)) {
    expect(table).toContain(`\`${tool}\``);
    for (const [, fields = ''] of source.matchAll(/^class \w+:\n(?: {4}""".*?"""\n\n)?((?: {4}\w+: .*\n)+)/gm))
      for (const [, field] of fields.matchAll(/^ {4}(\w+):/gm))
        if (field !== 'report') expect(table).toContain(`\`${field}\``);
    expect(defines.length).toBeGreaterThan(0);
  }
});
