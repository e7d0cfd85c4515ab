import { describe, expect, test } from 'vitest';
import type { Skill } from '../../../src/catalog/skills/skill.ts';
import { front, good, load } from '../../support/skill-shape.ts';

describe('what the format allows passes the strict check', () => {
  test.each<[string, string | Buffer, Partial<Skill>]>([
    ['only name and description', front(...good), { body: 'Do it.', license: null, metadata: {} }],
    ['quotes', front("name: 'a'", 'description: "What: and when."'), { description: 'What: and when.' }],
    [
      'a folded description',
      front('name: a', 'description: >-', '  What', '  and when.'),
      { description: 'What and when.' },
    ],
    [
      'a description in lines',
      front('name: a', 'description: |', '  What', '  and when.'),
      { description: 'What\nand when.' },
    ],
    [
      'every field',
      front(
        ...good,
        'license: MIT',
        'compatibility: git',
        'allowed-tools: Read Bash(git:*)',
        'metadata:',
        '  k: "1.0"',
      ),
      { license: 'MIT', compatibility: 'git', allowedTools: 'Read Bash(git:*)', metadata: { k: '1.0' } },
    ],
    ['comments', front('# a comment', ...good), {}],
    ['Unicode in texts', front('name: a', 'description: Größe und 日本語 🎉'), { description: 'Größe und 日本語 🎉' }],
    ['1,024 characters, however many bytes', front('name: a', `description: ${'🎉'.repeat(1024)}`), {}],
    [
      'CRLF',
      front(...good)
        .replaceAll('\n', '\r\n')
        .replace('Do it.', 'Do it.\r\nNow.'),
      { body: 'Do it.\nNow.' },
    ],
    [
      'a rule in the body',
      front(...good).replace('Do it.', 'Do it.\n\n---\n\nAgain.'),
      { body: 'Do it.\n\n---\n\nAgain.' },
    ],
    ['blanks after the fences', front(...good).replaceAll('---', '---  '), { body: 'Do it.' }],
    ['no line end at the end', front(...good).trimEnd(), { body: 'Do it.' }],
  ])('%s', (_shape, text, expected) => {
    const { skill, problems } = load(text, 'strict');
    expect(problems).toEqual([]);
    expect(skill).toMatchObject(expected);
  });

  test('a name of 64 characters', () => {
    const name = 'a'.repeat(64);
    expect(load(front(`name: ${name}`, 'description: x'), 'strict', name)).toMatchObject({
      skill: { name },
      problems: [],
    });
  });
});

describe('what is against the format, but clear, is used with a warning, and refused by the strict check', () => {
  test.each<[string, string, Partial<Skill>, string]>([
    [
      'an unknown field',
      front(...good, 'licence: MIT'),
      {},
      '4 "licence" is not a field of the format (did you mean license?); it is ignored',
    ],
    [
      'another name than the folder',
      front('name: b', 'description: x'),
      { name: 'b' },
      '2 the name "b" differs from that of its directory, "a"',
    ],
    [
      'a name that nobody can use',
      front('name: My Skill!', 'description: x'),
      { name: 'a' },
      '2 the name "My Skill!" is not 1 to 64 lower-case letters and digits, with single hyphens between them; the name of its directory is used',
    ],
    ['no name', front('description: x'), { name: 'a' }, 'null has no name; the name of its directory is used'],
    [
      'a colon without quotes',
      front('name: a', 'description: Use it when: always'),
      { description: 'Use it when: always' },
      '3 is not valid YAML: a value that contains ": " must be in quotes',
    ],
    [
      'a long description',
      front('name: a', `description: ${'x'.repeat(1025)}`),
      { description: 'x'.repeat(1024) },
      '3 the description has 1025 characters; the first 1024 are used',
    ],
    [
      'long compatibility',
      front(...good, `compatibility: ${'x'.repeat(501)}`),
      {},
      '4 compatibility has 501 characters; at most 500 are allowed',
    ],
    [
      'tools as a list',
      front(...good, 'allowed-tools: [Read, Bash]'),
      { allowedTools: 'Read Bash' },
      '4 allowed-tools is a list; the format expects one string, with the tools separated by spaces',
    ],
    [
      'nested metadata',
      front(...good, 'metadata:', '  k: v', '  deep: {x: y}'),
      { metadata: { k: 'v' } },
      '6 metadata.deep is not text; it is ignored',
    ],
    [
      'metadata that is a text',
      front(...good, 'metadata: x'),
      { metadata: {} },
      '4 metadata is not a list of "key: value" lines; it is ignored',
    ],
    ['an empty license', front(...good, 'license:'), { license: null }, '4 license has no value'],
    [
      'an unknown key of animus',
      front(...good, 'metadata:', '  animus.keyword: x'),
      {},
      '5 animus.keyword is not a key of animus (did you mean animus.keywords?); it is ignored',
    ],
    [
      'a wrong trigger',
      front(...good, 'metadata:', '  animus.params: x'),
      { triggers: { faculties: [], keywords: [], params: {}, auto: false } },
      '5 animus.params: expected key=value or key=one|other, got "x"; it is ignored',
    ],
    [
      'a wrong switch',
      front(...good, 'metadata:', '  animus.auto: sometimes'),
      {},
      '5 animus.auto: expected "true" or "false", got "sometimes"; it is ignored',
    ],
  ])('%s', (_shape, text, expected, problem) => {
    const lenient = load(text);
    expect(lenient.problems).toEqual([`warning SKILL.md:${problem}`]);
    expect(lenient.skill).toMatchObject(expected);
    const strict = load(text, 'strict');
    expect(strict).toEqual({ skill: undefined, problems: [`error SKILL.md:${problem}`] });
  });

  test('a name in another script', () => {
    const text = front('name: größe', 'description: x');
    expect(load(text, 'lenient', 'größe').skill?.name).toBe('größe');
    expect(load(text, 'strict', 'größe').skill).toBeUndefined();
  });
});

describe('only the strict check refuses what other readers may misread', () => {
  test.each([
    [
      'a number in metadata',
      front(...good, 'metadata:', '  version: 1.0'),
      '5 the value of metadata.version must be in quotes: other readers would not take it for text',
    ],
    [
      'a boolean',
      front(...good, 'metadata:', '  animus.auto: true'),
      '5 the value of metadata.animus.auto must be in quotes: other readers would not take it for text',
    ],
    ['a byte order mark', `\uFEFF${front(...good)}`, '1 begins with a byte order mark'],
  ])('%s', (_shape, text, problem) => {
    expect(load(text)).toMatchObject({ skill: { name: 'a', body: 'Do it.' }, problems: [] });
    expect(load(text, 'strict')).toEqual({ skill: undefined, problems: [`error SKILL.md:${problem}`] });
  });
});

test('advice is a warning also in the strict check', () => {
  expect(load(front(...good).replace('Do it.', ''), 'strict')).toMatchObject({
    skill: { body: '' },
    problems: ['warning SKILL.md:null has no instructions below its front matter'],
  });
  expect(load(front(...good) + 'x\n'.repeat(600), 'strict').problems).toEqual([
    expect.stringMatching(/^warning .*601 lines/),
  ]);
});
