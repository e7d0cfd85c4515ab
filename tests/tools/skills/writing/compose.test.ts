/** Promise: what work writes becomes a skill that every reader of the format takes, or is refused with what is wrong. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { problemsOf } from '../../../../src/catalog/skills/finding.ts';
import { parseSkill } from '../../../../src/catalog/skills/parse-skill.ts';
import { type Composed, composeChange, composeNew } from '../../../../src/tools/skills/writing/compose.ts';
import { type NewSkill, newSkill, skillChange } from '../../../../src/tools/skills/writing/draft.ts';

const draft = (more: Partial<NewSkill> = {}): NewSkill =>
  newSkill.parse({
    name: 'notes',
    description: 'Writes notes',
    instructions: '# Notes\n\nOne line each.\nBe brief.',
    ...more,
  });

function composed(result: Composed | { readonly problem: string }): Composed {
  if ('problem' in result) throw new Error(result.problem);
  return result;
}

const skillMd = ({ files }: Composed) => files.find(({ path }) => path === 'SKILL.md')!.content.toString('utf8');
const parsed = ({ files }: Composed) => parseSkill(files, { directory: '/notes', directoryName: 'notes' });

describe('a new skill', () => {
  test('is a SKILL.md with who wrote it and as what', () => {
    const made = composed(composeNew(draft({ keywords: ['notes', 'minutes'], faculties: ['clerk', 'engineer'] }), 3));
    expect(skillMd(made)).toBe(
      '---\nname: "notes"\ndescription: "Writes notes"\nmetadata:\n  animus.faculties: "clerk engineer"\n  animus.keywords: "notes, minutes"\n' +
        '  animus.origin: "agent"\n  animus.version: "3"\n---\n\n# Notes\n\nOne line each.\nBe brief.\n',
    );
    expect(parsed(made).skill).toMatchObject({
      origin: 'agent',
      version: '3',
      contentHash: made.hash,
      triggers: { faculties: ['clerk', 'engineer'], keywords: ['notes', 'minutes'], auto: true },
    });
  });

  test('says what its author wrote, whatever it is, and stays valid', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
      .filter((each) => each.trim() !== '' && !each.includes('\0'));
    fc.assert(
      fc.property(text, text, (description, instructions) => {
        const result = composeNew(draft({ description, instructions }), 1);
        if ('problem' in result) return;
        const { skill, findings } = parsed(result);
        expect(
          problemsOf(findings, { directory: 'd', skill: 'notes', strictness: 'strict' }).filter(
            ({ level }) => level === 'error',
          ),
        ).toEqual([]);
        expect(skill).toMatchObject({ name: 'notes', origin: 'agent', version: '1', allowedTools: null });
      }),
    );
  });

  test.each([['---\nname: other\n---'], ['x\n---\nallowed-tools: Bash\n---\n']])(
    'cannot set fields of its front matter by its instructions: %j',
    (instructions) => {
      expect(parsed(composed(composeNew(draft({ instructions }), 1))).skill).toMatchObject({
        name: 'notes',
        allowedTools: null,
      });
    },
  );

  test('nor by its description', () => {
    const description = 'x"\nallowed-tools: Bash\nname: other\n---\n# "';
    expect(parsed(composed(composeNew(draft({ description }), 1))).skill).toMatchObject({
      name: 'notes',
      allowedTools: null,
    });
  });

  test.each([
    '../x',
    '/x',
    'a/../x',
    '.git/config',
    'a/.hidden',
    'node_modules/x',
    'a/__pycache__/x',
    'SKILL.md',
    'skill.md',
    'a//b',
    'a/',
    'a\\b',
    'x\n',
    'x\0',
    'CON',
    'aux.txt',
    'a/b/c/d/e/f',
    'ä',
    'x.',
    'a b',
    '~',
    '$x',
  ])('has no file %j', (path) => {
    expect(composeNew(draft({ files: [{ path, content: '' }] }), 1)).toEqual({
      problem: expect.stringMatching(/cannot be a file of a skill|SKILL\.md/),
    });
  });

  test.each([[['a', 'A']], [['docs', 'docs/a.md']], [['a.md', 'a.md']]])('has no files %j together', (paths) => {
    expect(composeNew(draft({ files: paths.map((path) => ({ path, content: '' })) }), 1)).toHaveProperty('problem');
  });

  test('says what its sources support, white space aside', () => {
    const entry = '01999999-0000-7000-8000-000000000001/2';
    composed(composeNew(draft({ sources: [{ entry, supports: 'One line\n each. Be brief.' }] }), 1));
    expect(composeNew(draft({ sources: [{ entry, supports: 'Two lines each.' }] }), 1)).toEqual({
      problem: expect.stringContaining('does not say what'),
    });
  });

  test.each(['Notes', 'a--b', '-a', 'a-', 'a/b', '..', '', 'ä', 'x'.repeat(65)])('cannot be named %j', (name) => {
    expect(newSkill.safeParse({ name, description: 'd', instructions: 'i' }).success).toBe(false);
  });
});

describe('a change', () => {
  const base = composed(
    composeNew(draft({ files: [{ path: 'references/a.md', content: 'A' }], keywords: ['notes'] }), 1),
  ).files;
  const change = (more: object) =>
    composeChange(base, skillChange.parse({ name: 'notes', version: 1, reason: 'r', ...more }), 2);

  test('keeps what it does not name', () => {
    const { skill } = parsed(composed(change({ instructions: 'New.' })));
    expect(skill).toMatchObject({
      version: '2',
      body: 'New.',
      description: 'Writes notes',
      triggers: { keywords: ['notes'] },
    });
    expect(skill!.files.map(({ path }) => path)).toEqual(['SKILL.md', 'references/a.md']);
  });

  test.each([
    '@@\n One line each.\n-Be brief.\n+Be very brief.',
    '--- a/SKILL.md\n+++ b/SKILL.md\n@@ -3,2 +3,2 @@\n One line each.\n-Be brief.\n+Be very brief.\n',
    '-Be brief.\n+Be very brief.',
  ])('may be a diff: %j', (diff) => {
    expect(parsed(composed(change({ diff }))).skill!.body).toBe('# Notes\n\nOne line each.\nBe very brief.');
  });

  test.each([
    [{ diff: '@@\n-Be long.\n+Be brief.' }, 'does not apply'],
    [{ diff: '@@\n*** Delete File: SKILL.md' }, 'the diff'],
    [{ diff: '-a\n+b', instructions: 'x' }, 'either'],
    [{ remove_files: ['b.md'] }, 'no file b.md'],
    [{ remove_files: ['SKILL.md'], files: [{ path: 'SKILL.md', content: '' }] }, 'SKILL.md'],
    [{ remove_files: ['SKILL.md'], instructions: 'New.' }, 'SKILL.md cannot be removed'],
    [{}, 'nothing would change'],
    [{ instructions: '# Notes\n\nOne line each.\nBe brief.' }, 'nothing would change'],
  ])('%j is refused: %s', (more, problem) => {
    expect(change(more)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('of a skill as a person has written it is refused if nothing would change', () => {
    const text = '---\nname: notes\ndescription: Writes notes\n---\nOne line each.\n';
    const files = [{ path: 'SKILL.md', content: Buffer.from(text) }];
    const given = (more: object) =>
      composeChange(files, skillChange.parse({ name: 'notes', version: 1, reason: 'r', ...more }), 2);
    expect(given({ instructions: 'One line each.' })).toEqual({ problem: 'nothing would change' });
    expect(parsed(composed(given({ diff: '-One line each.\n+Two.' }))).skill).toMatchObject({
      body: 'Two.',
      version: '2',
    });
  });

  test('has at most 50 files with those that it keeps', () => {
    const files = Array.from({ length: 50 }, (_, n) => ({ path: `b${n}.md`, content: '' }));
    expect(change({ files })).toEqual({ problem: 'the skill would have 51 files beside SKILL.md, and 50 are allowed' });
    expect(composed(change({ files, remove_files: ['references/a.md'] })).files).toHaveLength(51);
    // Of a skill that was a person's, which may have more.
    const many = [
      ...base,
      ...Array.from({ length: 70 }, (_, n) => ({ path: `names of its own/Größe ${n}.md`, content: Buffer.from('') })),
    ];
    const next = (more: object) =>
      composeChange(many, skillChange.parse({ name: 'notes', version: 1, reason: 'r', ...more }), 2);
    expect(composed(next({ instructions: 'New.' })).files).toHaveLength(72);
    expect(next({ files: files.slice(0, 1) })).toEqual({ problem: expect.stringContaining('72 files') });
  });

  test('adds, replaces and removes files, and the words of triggers', () => {
    const made = composed(
      change({
        files: [{ path: 'b.md', content: 'B' }],
        remove_files: ['references/a.md'],
        keywords: [],
        faculties: ['*'],
        description: 'D',
      }),
    );
    expect(made.files.map(({ path }) => path)).toEqual(['SKILL.md', 'b.md']);
    expect(parsed(made).skill).toMatchObject({ description: 'D', triggers: { keywords: [], faculties: ['*'] } });
  });
});
