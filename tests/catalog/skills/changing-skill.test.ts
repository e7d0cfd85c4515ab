import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contentHashOf } from '../../../src/catalog/skills/content-hash.ts';
import { loadSkills } from '../../../src/catalog/skills/load-skills.ts';
import { readSkillFiles } from '../../../src/catalog/skills/read-skill-files.ts';
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import { putFile, skillTree } from '../../support/skill-tree.ts';

/** Replaces the skill 60 times, as `placeSkill` does: a folder beside it takes its place. */
const REPLACE = `
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
for (let version = 1; version <= 60; version++) {
  mkdirSync('.animus-skill-new/docs', { recursive: true });
  writeFileSync('.animus-skill-new/SKILL.md', '---\\nname: a\\ndescription: x\\n---\\nVersion ' + version);
  writeFileSync('.animus-skill-new/docs/data.txt', 'Version ' + version);
  renameSync('a', '.animus-skill-old');
  renameSync('.animus-skill-new', 'a');
  rmSync('.animus-skill-old', { recursive: true });
}`;

/** The hash of the version with this body. */
function hashOf(body: string): string {
  return contentHashOf([
    { path: 'SKILL.md', content: Buffer.from(`---\nname: a\ndescription: x\n---\n${body}`) },
    { path: 'docs/data.txt', content: Buffer.from(body) },
  ]);
}

test('a skill that is replaced while it is read is one version or the other, never a mix', async () => {
  const root = skillTree({ 'a/docs/data.txt': 'Version 0' });
  putFile(join(root, 'a/SKILL.md'), '---\nname: a\ndescription: x\n---\nVersion 0');
  const writer = spawn(process.execPath, ['--input-type=module', '-e', REPLACE], { cwd: root, stdio: 'inherit' });
  const ended = once(writer, 'exit');

  let [whole, changed] = [0, 0];
  while (writer.exitCode === null) {
    const skill = loadSkills([root]).skills.get('a');
    // So that the end of the writer is noticed.
    await new Promise((resolve) => setImmediate(resolve));
    if (skill === undefined) continue;
    expect(skill.contentHash).toBe(hashOf(skill.body));
    try {
      const data = readSkillFiles(skill).find(({ path }) => path === 'docs/data.txt');
      expect(data?.content.toString()).toBe(skill.body);
      whole += 1;
    } catch (error) {
      if (!isAnimusError(error, 'skill.changed')) throw error;
      changed += 1;
    }
  }

  expect(await ended).toEqual([0, null]);
  expect(loadSkills([root]).skills.get('a')?.body).toBe('Version 60');
  expect(whole + changed).toBeGreaterThan(0);
});
