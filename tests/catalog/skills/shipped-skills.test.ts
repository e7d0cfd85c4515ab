import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSkillText } from '../../../src/catalog/skills/front-matter.ts';
import { loadSkills } from '../../../src/catalog/skills/load-skills.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const { skills, problems } = loadSkills([join(ROOT, 'skills')], { strictness: 'strict' });
const all = [...skills.values()];

test('our own skills pass the strict check', () => {
  expect(problems).toEqual([]);
  expect([...skills.keys()]).toEqual([
    'code-review',
    'operating-animus',
    'research-report',
    'systematic-debugging',
    'test-driven-change',
  ]);
});

test.each(all)('$name has no field that the format does not know', ({ directory }) => {
  const { frontMatter } = readSkillText(readFileSync(join(directory, 'SKILL.md'), 'utf8'));
  const fields = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];
  expect([...(frontMatter?.values.keys() ?? [])].filter((field) => !fields.includes(field))).toEqual([]);
});

test.each(all)('$name says when to use it, is short, and links only to its own files', (skill) => {
  expect(skill.description).toMatch(/\. Use it /);
  expect(skill.body.split('\n').length).toBeLessThan(200);
  const links = [...skill.body.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target);
  for (const target of links) expect(skill.files.map(({ path }) => path)).toContain(target);
});

test('our own skills are in the package', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  expect(files).toContain('skills');
});
