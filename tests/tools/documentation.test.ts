import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { childTools } from '../../src/tools/children/child-source.ts';
import { CODE_TOOL, FACULTY_TOOL_NAMES, toolset } from '../../src/tools/registry.ts';
import { SKILL_TOOLS } from '../../src/tools/skills/skill-source.ts';
import { SKILL_WRITING_TOOLS } from '../../src/tools/skills/writing/writing-source.ts';
import { tableRows } from '../support/markdown-table.ts';

const PAGE = readFileSync(new URL('../../docs/tools.md', import.meta.url), 'utf8');

interface Property {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description: string;
}

test('the page lists every input of every tool, with type, default and meaning, and no other', () => {
  const children = childTools({ faculties: ['reader', 'writer'], maxChildren: 50, maxDepth: 5 });
  const tools = new Map([
    ...toolset(FACULTY_TOOL_NAMES, undefined, [CODE_TOOL]),
    ...[...children, ...SKILL_TOOLS, ...SKILL_WRITING_TOOLS].map((tool) => [tool.name, tool] as const),
  ]);
  const rows = [...tools.values()].flatMap(({ name, input: schema }) => {
    const { properties, required = [] } = z.toJSONSchema(schema, { io: 'input' }) as {
      properties: Readonly<Record<string, Property>>;
      required?: readonly string[];
    };
    return Object.entries(properties).map(([input, property]) => [
      `\`${name}\``,
      `\`${input}\``,
      property.enum?.map((word) => `\`${word}\``).join(', ') ?? property.type,
      neededness(property, required.includes(input)),
      property.description,
    ]);
  });
  expect(tableRows(PAGE).filter((cells) => cells.length === 5)).toEqual([
    ['tool', 'input', 'type', '', 'meaning'],
    ...rows,
  ]);
});

function neededness(property: Property, required: boolean): string {
  if (required) return 'required';
  return property.default === undefined ? 'optional' : `default \`${JSON.stringify(property.default)}\``;
}
