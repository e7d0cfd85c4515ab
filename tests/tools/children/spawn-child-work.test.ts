import { expect, test } from 'vitest';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { spawnChildTool } from '../../../src/tools/children/spawn-child-work.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { libraryOf, skillOf } from '../skills/library.ts';

test('its risk is that of writing: a faculty may spawn without asking a person', () => {
  const settings = { faculties: ['reader'], maxChildren: 1, maxDepth: 1 };
  expect(spawnChildTool(settings, async () => libraryOf()).risk).toBe('write');
});

test('an unknown skill is an error, and nothing is started', async () => {
  const settings = { faculties: ['reader'], maxChildren: 1, maxDepth: 1 };
  const tool = spawnChildTool(settings, async () => libraryOf(skillOf('review')));
  if (tool.kind !== 'database') throw new Error('it writes to the database');
  const input = tool.input.parse({ faculty: 'reader', description: 'Read', skill: 'reviw' });
  const untouched = {} as Queryable;
  expect(await tool.run(input, {} as ToolContext, untouched)).toMatchObject({
    isError: true,
    content: expect.stringMatching(/^there is no skill named reviw.*review.*nothing was started$/),
  });
});
