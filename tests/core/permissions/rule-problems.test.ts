import { expect, it } from 'vitest';
import type { PermissionRule } from '../../../src/core/permissions/permissions.ts';
import { parseRuleKey, type RuleKey } from '../../../src/core/permissions/rule-key.ts';
import { overruledBy } from '../../../src/core/permissions/rule-problems.ts';
import type { FieldKind, Verdict } from '../../../src/core/permissions/verdict.ts';

function rule(key: string, verdict: Verdict): PermissionRule {
  return { ...(parseRuleKey(key) as RuleKey), key, verdict, at: '' };
}

it.each<[FieldKind, string, string, boolean]>([
  // In a path, `*` ends at a slash; elsewhere it stands for anything.
  ['path', 'src/*', 'src/a', true],
  ['path', 'src/*', 'src/a/b', false],
  ['path', 'src/**', 'src/a/b', true],
  ['tree', 'src/*', 'src/a/b', false],
  ['text', 'src/*', 'src/a/b', true],
  ['text', 'src/**', 'lib/a', false],
])('a rule about a %s %s that forbids leaves nothing to one about %s: %s', (kind, wide, narrow, overruled) => {
  const [forbids, allows] = [rule(`t(where=${wide})`, 'forbid'), rule(`t(where=${narrow})`, 'auto')];
  expect(overruledBy(allows, [forbids, allows], { where: kind })).toBe(overruled ? forbids : null);
  expect(overruledBy(forbids, [forbids, allows], { where: kind })).toBeNull();
});
