import { expect, test } from 'vitest';
import { inputOf, schemaProblem } from '../../../src/tools/mcp/input-check.ts';
import { outputOf } from '../../../src/tools/mcp/result-text.ts';
import { readDefinition } from '../../../src/tools/mcp/tool-definition.ts';
import { mcpToolName } from '../../../src/tools/mcp/tool-name.ts';

const object = { type: 'object', properties: { a: { type: 'string' } } };
const read = (change: object) => readDefinition({ name: 't', description: 'd', inputSchema: object, ...change });

test.each([
  ['no object', { inputSchema: [] }, 'is not an object'],
  ['another type', { inputSchema: { type: 'array' } }, 'does not describe an object'],
  ['too long', { inputSchema: { ...object, description: 'x'.repeat(40_000) } }, 'is longer than 32 KiB'],
  ['too deep', { inputSchema: { ...object, properties: { a: nested(40) } } }, 'is nested deeper than 24 levels'],
  ['a property that providers refuse', { inputSchema: { ...object, properties: { 'a b': {} } } }, 'providers refuse'],
  ['a name with a space', { name: 'a b' }, 'a name that cannot be used'],
  ['a long name', { name: 'a'.repeat(129) }, 'a name that cannot be used'],
  ['a description that is not text', { description: 7 }, 'a description that is not text'],
])('a tool with %s is not offered', (_, change, problem) => {
  expect(read(change)).toMatchObject({ problem: expect.stringContaining(problem) });
});

test.each([
  ['invalid', { ...object, required: 'a' }],
  ['a reference to nowhere', { ...object, $ref: 'https://example.com/x' }],
])('an input schema that is %s is a problem', async (_, schema) => {
  expect(await schemaProblem(schema)).toContain('is not valid');
});

test('what the model sees is bounded and without control characters; providers do not see what they refuse', () => {
  const tool = read({
    description: `a\u001b[31m\u202eb\n${'x'.repeat(5000)}`,
    inputSchema: { ...object, $schema: 'x', anyOf: [{}], additionalProperties: false },
    annotations: { readOnlyHint: true },
  });
  expect(tool).toMatchObject({ inputSchema: { ...object, additionalProperties: false } });
  const { description, inputSchema } = tool as { description: string; inputSchema: object };
  expect(description.length).toBeLessThan(2100);
  expect(description).toMatch(/^a\\x1b\[31m\\u202eb\nx/);
  expect(Object.keys(inputSchema).toSorted()).toEqual(['additionalProperties', 'properties', 'type']);
});

test('the hash covers everything that says what the tool is, and not the order of keys or the annotations', () => {
  const hashOf = (change: object) => (read(change) as { definitionHash: string }).definitionHash;
  const same = hashOf({});
  expect(hashOf({ annotations: { readOnlyHint: true }, _meta: { x: 1 } })).toBe(same);
  expect(hashOf({ inputSchema: { properties: { a: { type: 'string' } }, type: 'object' } })).toBe(same);
  for (const change of [
    { description: 'e' },
    { title: 'T' },
    { outputSchema: {} },
    { inputSchema: { ...object, properties: { a: { type: 'number' } } } },
    // Models do not see these, but somebody looked at the tool without them.
    { description: `d${' '.repeat(3)}` },
    { inputSchema: { ...object, anyOf: [{ required: ['a'] }] } },
  ]) {
    expect(hashOf(change), JSON.stringify(change)).not.toBe(same);
  }
});

test('names fit every provider and stay apart', () => {
  expect(mcpToolName('files', 'read_file')).toBe('mcp_files_read_file');
  const names = ['a.b', 'a:b', 'a b', 'a'.repeat(100), `${'a'.repeat(100)}b`].map((tool) => mcpToolName('s', tool));
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});

test('a null for a property that was left out is found, properties by pattern are not checked', async () => {
  const input = inputOf({ ...object, additionalProperties: false, patternProperties: { '^x': { type: 'number' } } });
  expect((await input.safeParseAsync({ a: null })).error?.issues).toMatchObject([
    { path: ['a'], message: 'must be string' },
  ]);
  expect((await input.safeParseAsync({ a: 'a', x1: 'text' })).success).toBe(true);
  expect((await input.safeParseAsync([])).success).toBe(false);
});

test('a result that is not a result is still a text', () => {
  const none = (text: string) => text;
  expect(outputOf({}, none).content).toBe('(the tool returned nothing)');
  const odd = { content: ['x', null, { type: 7 }, { type: 'text', text: 7 }, { type: 'image' }, { type: 'resource' }] };
  expect(outputOf(odd, none).content).toBe('[content of type 7: not shown]\n\n[image , 0 bytes: not shown]');
});

function nested(levels: number): object {
  return levels === 0 ? {} : { items: nested(levels - 1) };
}
