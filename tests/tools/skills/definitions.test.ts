/** Promise: the tools for skills, which are in nearly every request, take few tokens; a model that does not know a rule learns it from the result. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { toolSpecs } from '../../../src/tools/registry.ts';
import { SKILL_TOOLS } from '../../../src/tools/skills/skill-source.ts';
import { SKILL_WRITING_TOOLS, skillWritingSource } from '../../../src/tools/skills/writing/writing-source.ts';
import type { Tool } from '../../../src/tools/tool.ts';

const tools = new Map([...SKILL_TOOLS, ...SKILL_WRITING_TOOLS].map((tool) => [tool.name, tool]));

/** As the engine estimates them: a token is four characters. */
const tokensOf = (some: readonly Tool[]) =>
  toolSpecs(new Map(some.map((tool) => [tool.name, tool])))
    .map(({ name, description, inputSchema }) => JSON.stringify({ name, description, input_schema: inputSchema }))
    .reduce((sum, text) => sum + text.length / 4, 0);

test('their definitions are short', () => {
  expect(tokensOf(SKILL_TOOLS)).toBeLessThanOrEqual(150);
  expect(tokensOf(SKILL_WRITING_TOOLS)).toBeLessThanOrEqual(465);
});

test.each([...tools.values()])(
  '$name: the model is shown every field, and which are required',
  ({ input, ...tool }) => {
    const whole = z.toJSONSchema(input, { io: 'input' });
    expect(Object.keys(tool.inputSchema!['properties'] as object)).toEqual(Object.keys(whole.properties!));
    expect(tool.inputSchema!['required']).toEqual(whole.required);
  },
);

describe('a call that breaks a rule is answered with the rule', () => {
  const skill = { name: 'notes', description: 'd', instructions: 'i' };
  const change = { name: 'notes', version: 1, reason: 'r' };
  test.each([
    ['create_skill', { ...skill, name: 'Release Notes' }, 'lower-case'],
    ['create_skill', { ...skill, keywords: ['a, b'] }, 'a keyword has no comma'],
    ['create_skill', { ...skill, faculties: ['The clerk'] }, 'a faculty is written as its name, or *'],
    ['create_skill', { ...skill, sources: ['x'] }, 'expected object'],
    ['create_skill', { ...skill, sources: [{ entry: '1' }] }, '<id of a work item>/<number in its ledger>'],
    ['create_skill', { ...skill, files: [{ path: 'a.md' }] }, 'files[0].content'],
    ['create_skill', { ...skill, instructions: 'x'.repeat(100_001) }, '100000'],
    ['update_skill', { ...change, version: 0 }, '>=1'],
    ['update_skill', { ...change, files: [{ name: 'a.md', text: 'A' }] }, 'files[0].path'],
    ['update_skill', { ...change, sources: [{ id: 'x' }] }, 'sources[0].entry'],
    ['discover_skills', { limit: 1000 }, '<=100'],
    ['activate_skill', { name: '' }, '>=1 characters'],
  ])('%s %#: %s', (name, input, rule) => {
    const { success, error } = tools.get(name)!.input.safeParse(input);
    expect(success).toBe(false);
    expect(z.prettifyError(error!)).toContain(rule);
  });
});

describe('tools that write skills', () => {
  const open = async (faculty: object, writes = true) => {
    const { tools: offered } = await skillWritingSource(writes).open(faculty as Faculty);
    return offered.map(({ name }) => name);
  };
  const skills = { offered: ['*'], catalogueMaxTokens: 0, autoActivate: false, maxAutoActivated: 0 };
  const BOTH = ['create_skill', 'update_skill'];

  test('are offered to a faculty that may write skills and uses some', async () => {
    expect(await open({ skillCreation: 'ask', skills })).toEqual(BOTH);
    expect(await open({ skillCreation: 'auto', skills: { ...skills, offered: ['notes'] } })).toEqual(BOTH);
  });

  test.each([
    ['that may not', { skillCreation: 'no', skills }, true],
    ['that uses no skills', { skillCreation: 'ask', skills: { ...skills, offered: [] } }, true],
    ['of an earlier version', {}, true],
    ['of a daemon without a directory for skills', { skillCreation: 'ask', skills }, false],
  ])('are not offered to a faculty %s', async (_what, faculty, writes) => {
    expect(await open(faculty, writes)).toEqual([]);
  });
});
