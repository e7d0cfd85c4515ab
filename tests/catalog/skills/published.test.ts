import { existsSync } from 'node:fs';
import { delimiter } from 'node:path';
import { expect, test } from 'vitest';
import { loadSkills } from '../../../src/catalog/skills/load-skills.ts';

// Published skills are not in this repository. To read a collection as it is (docs/skills.md):
//   git clone --depth 1 https://github.com/anthropics/skills /tmp/skills
//   ANIMUS_TEST_SKILLS=/tmp/skills npx vitest run tests/catalog/skills/published.test.ts --project anthropic
const directories = (process.env['ANIMUS_TEST_SKILLS'] ?? '').split(delimiter).filter(Boolean);

test.skipIf(directories.length === 0)('published skills load as they are', () => {
  for (const directory of directories) {
    expect(existsSync(directory), directory).toBe(true);
    const { skills, problems } = loadSkills([directory]);
    expect(skills.size, directory).toBeGreaterThan(0);
    expect(problems.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([]);
  }
});
