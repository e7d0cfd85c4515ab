import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSkills } from '../../../src/catalog/skills/load-skills.ts';
import { front, good, load } from '../../support/skill-shape.ts';
import { skillTree } from '../../support/skill-tree.ts';

describe('what cannot be used is left out', () => {
  test.each<[string, string | Buffer, string]>([
    ['an empty file', '', '1 does not begin with front matter: expected --- as its first line'],
    ['no front matter', '# A\n\nDo it.\n', '1 does not begin with front matter: expected --- as its first line'],
    [
      'front matter without end',
      '---\nname: a\ndescription: x\n\nDo it.\n',
      '1 its front matter has no end: expected a line --- below it',
    ],
    [
      'empty front matter',
      '---\n---\nDo it.\n',
      '2 its front matter is not a list of fields such as name: and description:',
    ],
    ['a list', front('- name'), '2 its front matter is not a list of fields such as name: and description:'],
    [
      'broken YAML',
      front('name: "a', 'description: x'),
      '3 its front matter is not valid YAML: Missing closing "quote',
    ],
    ['no description', front('name: a'), 'null has no description'],
    ['an empty description', front('name: a', 'description: "  "'), '3 description has no value'],
    ['a description that is a list', front('name: a', 'description: [x]'), '3 description is not text'],
    ['a field twice', front(...good, 'name: b'), '4 has name more than once; it is also on line 2'],
    [
      'an anchor',
      front('name: &n a', 'description: x'),
      '2 its front matter uses an anchor (&), which is not accepted',
    ],
    ['an alias', front('name: a', 'description: *n'), '3 its front matter uses an alias (*), which is not accepted'],
    [
      'a tag',
      front('name: !!js/function a', 'description: x'),
      '2 its front matter uses a tag (!), which is not accepted',
    ],
    [
      'a control character',
      front('name: a', 'description: "\\u001b[31mred"'),
      '3 description contains the control character U+001B',
    ],
    ['a NUL in the body', `${front(...good)}\0`, 'null contains the character U+0000, which is not text'],
    ['Latin-1', Buffer.from(front('name: a', 'description: Größe'), 'latin1'), 'null is not UTF-8'],
    ['UTF-16', Buffer.from(front(...good), 'utf16le'), 'null contains the character U+0000, which is not text'],
  ])('%s', (_shape, text, problem) => {
    for (const strictness of ['lenient', 'strict'] as const) {
      const { skill, problems } = load(text, strictness);
      expect(skill).toBeUndefined();
      expect(problems[0]?.replace(/(Missing closing "quote).*/, '$1')).toBe(`error SKILL.md:${problem}`);
    }
  });

  test.each(['A', '-a', 'a-', 'a--b', 'a_b', 'a b', 'a'.repeat(65), 'ａ', 'é', '１'])(
    'a folder and name %s',
    (name) => {
      // The last three are not in form NFKC, or decomposed.
      const folder = name === 'é' ? 'e\u0301' : name;
      const { skill } = load(front(`name: "${folder}"`, 'description: x'), 'strict', folder);
      expect(skill).toBeUndefined();
    },
  );

  test('SKILL.md in another case', () => {
    const root = skillTree({ 'a/skill.md': front(...good) });
    expect(loadSkills([root])).toMatchObject({
      skills: new Map(),
      problems: [
        { level: 'error', file: join(root, 'a/skill.md'), what: 'must be named SKILL.md, in capital letters' },
      ],
    });
  });
});
