import { expect, test } from 'vitest';
import { showUses } from '../../../src/features/skills/show-uses.ts';
import type { SkillOutcomes } from '../../../src/features/skills/usage.ts';
import { createOutput } from '../../../src/terminal/view/output.ts';

test('the skills stand out, numbers end at one column, and without work there is no share and no cost', () => {
  let text = '';
  const stream = { isTTY: true, columns: 200, write: (more: string) => void (text += more) };
  const output = createOutput({ stdout: stream, stderr: stream, env: { TERM: 'xterm' }, json: false });
  const used: SkillOutcomes = { items: 3, completed: 2, cost_usd: 6, unpriced_calls: 0, turns: 9 };
  const without: SkillOutcomes = { items: 0, completed: 0, cost_usd: null, unpriced_calls: 0, turns: 0 };
  const use = { activations: 1234, last_used_at: null, with_it: used, without };
  showUses(output, [{ ...use, skill: 'notes' }], undefined);
  expect(text).toContain('\u001b[1mnotes');
  const [header, row] = text.replaceAll(/\u001b\[\d+m/g, '').split('\n');
  expect(header).toMatch(/^SKILL +USED +LAST +ITEMS +COMPLETED +COST EACH +WITHOUT +COMPLETED +COST EACH$/);
  expect(row).toMatch(/^notes +1,234 +3 +67 % +\$2\.00 +0 *$/);
  expect(row!.indexOf('1,234') + 5).toBe(header!.indexOf('USED') + 4);
});
