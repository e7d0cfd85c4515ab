import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSkills } from '../../../src/catalog/skills/load-skills.ts';
import { problemOf } from '../../support/skill-problem.ts';
import { putFile, skillText, skillTree } from '../../support/skill-tree.ts';

const MIB = 1024 * 1024;

describe('YAML that would take time or memory is refused', () => {
  test.each([
    [
      'a bomb of aliases',
      [
        'a: &a ["x","x","x"]',
        ...'bcdefghi'.split('').map((c, i) => `${c}: &${c} [${`*${'abcdefghi'[i]},`.repeat(9)}]`),
      ].join('\n'),
      /uses an anchor/,
    ],
    ['deep lists', `a: ${'['.repeat(8000)}`, /nested too deeply/],
    ['deep maps', `a: ${'{a: '.repeat(3000)}`, /nested too deeply/],
    ['deep sequences', '- '.repeat(8000), /nested too deeply/],
    ['deep keys', '? '.repeat(8000), /nested too deeply/],
    [
      'deep folders of keys',
      Array.from({ length: 170 }, (_, depth) => `${' '.repeat(depth)}k:`).join('\n'),
      /no description|no name|is not a field/,
    ],
    ['thousands of keys', Array.from({ length: 1800 }, (_, index) => `k${index}: v`).join('\n'), /no description/],
    ['a merge key', '<<: {name: x}\nname: a', /no description/],
    ['escapes', `a: "${'\\x'.repeat(8000)}"`, /not valid YAML/],
    ['another document', 'name: a\n--- \nname: b', /no description/],
    ['too much of it', `name: a\ndescription: ${'x'.repeat(17 * 1024)}`, /more than 16384 bytes/],
    ['a prototype', '__proto__: {x: y}\nconstructor: x', /no description/],
  ])('%s', (_what, yaml, problem) => {
    const begun = performance.now();
    const root = skillTree({ 'a/SKILL.md': `---\n${yaml}\n---\n\nDo.\n` });
    putFile(join(root, 'b/SKILL.md'), skillText('b'));
    const { skills, problems } = loadSkills([root]);
    expect([...skills.keys()]).toEqual(['b']);
    expect(
      problems
        .filter(({ level }) => level === 'error')
        .map(({ what }) => what)
        .join(),
    ).toMatch(problem);
    // Not a limit of time: without the checks, some of these take minutes.
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(({} as { x?: string }).x).toBeUndefined();
  });

  test('metadata cannot change what objects are', () => {
    const front = 'metadata:\n  __proto__: x\n  constructor: y\n  animus.params: __proto__=polluted';
    const root = skillTree({ 'a/SKILL.md': skillText('a', { front }) });
    const skill = loadSkills([root]).skills.get('a');
    expect(Object.keys(skill?.metadata ?? {})).toEqual(['__proto__', 'constructor', 'animus.params']);
    expect(Object.entries(skill?.triggers.params ?? {})).toEqual([['__proto__', ['polluted']]]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('sizes are limited', () => {
  test('a body of 10 MB', () => {
    const root = skillTree({ 'a/SKILL.md': skillText('a', { body: 'x'.repeat(10_000_000) }) });
    expect(problemOf(root)).toMatch(/^a: has 10000\d+ bytes; a skill may have 8388608/);
  });

  test('a body of 600 KB', () => {
    const root = skillTree({ 'a/SKILL.md': skillText('a', { body: 'x'.repeat(600_000) }) });
    expect(problemOf(root)).toMatch(/^a\/SKILL\.md: has 600\d+ bytes; at most 524288 are read/);
  });

  test('front matter of 500 KB, without end', () => {
    const root = skillTree({ 'a/SKILL.md': `---\nname: ${'x'.repeat(500_000)}` });
    expect(problemOf(root)).toBe('a/SKILL.md: its front matter has no end: expected a line --- below it');
  });

  test('a text file of more than 1 MiB, and a binary file below 8 MiB', () => {
    const root = skillTree({
      'a/SKILL.md': skillText('a'),
      'a/x.txt': 'x'.repeat(MIB + 1),
      'c/SKILL.md': skillText('c'),
    });
    writeFileSync(join(root, 'c/x.bin'), Buffer.alloc(2 * MIB, 0xff));
    const { skills, problems } = loadSkills([root]);
    expect([...skills.keys()]).toEqual(['c']);
    expect(problems[0]).toMatchObject({
      file: join(root, 'a/x.txt'),
      what: 'has 1048577 bytes; a text file of a skill may have 1048576',
    });
  });

  test('8 MiB together, without reading them', () => {
    const root = skillTree({ 'a/SKILL.md': skillText('a') });
    for (const name of ['x', 'y', 'z']) writeFileSync(join(root, 'a', name), Buffer.alloc(3 * MIB, 0xff));
    expect(problemOf(root)).toMatch(/^a: has 94\d+ bytes; a skill may have 8388608/);
  });

  test('500 files, and 8 folders deep', () => {
    const many = skillTree({ 'a/SKILL.md': skillText('a') });
    for (let index = 0; index < 500; index++) writeFileSync(join(many, `a/${index}`), '');
    expect(problemOf(many)).toBe('a: has more than 500 files, which is the limit');
    const deep = skillTree({ 'a/SKILL.md': skillText('a'), [`a/${'d/'.repeat(9)}x`]: '' });
    expect(problemOf(deep)).toBe(`a/${'d/'.repeat(9).slice(0, -1)}: is nested deeper than 8 folders`);
  });

  test('a path of 400 characters', () => {
    const root = skillTree({ 'a/SKILL.md': skillText('a'), [`a/${'x'.repeat(200)}/${'y'.repeat(200)}`]: '' });
    expect(problemOf(root)).toMatch(/path has more than 400 characters/);
  });
});
