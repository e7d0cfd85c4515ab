/** What a hostile skill is refused for. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { loadSkills } from '../../src/catalog/skills/load-skills.ts';
import { putFile, skillText } from './skill-tree.ts';

/** The problem of the skill `a` of this tree, which was left out; `b` is always usable. */
export function problemOf(root: string): string {
  putFile(join(root, 'b/SKILL.md'), skillText('b'));
  const { skills, problems } = loadSkills([root]);
  expect([...skills.keys()]).toEqual(['b']);
  const [first] = problems;
  expect(first?.level).toBe('error');
  return `${first?.file.slice(root.length + 1)}: ${first?.what}`;
}
