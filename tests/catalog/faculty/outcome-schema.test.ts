import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { outcomeSchemaProblem } from '../../../src/catalog/faculty/outcome-schema.ts';
import { loadRunnableFaculties } from '../../../src/daemon/reload/load-faculties.ts';

describe('outcome_schema of a faculty', () => {
  it('is read from beside its file, stored as written, and survives JSON', async () => {
    const schema = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } };
    const { faculties, problems } = await load({ 'schemas/fix.json': JSON.stringify(schema) });
    expect(problems).toEqual([]);
    expect(faculties.get('fixer')!.engage.outcomeSchema).toEqual(schema);
  });

  it.each([
    ['not there', null, 'cannot be read'],
    ['no JSON', '{', 'is not valid JSON'],
    ['a list', '[]', 'expected an object'],
    ['of an unknown type', '{"type": "objekt"}', 'is not a JSON Schema of draft 2020-12'],
    ['misspelt', '{"type": "object", "requird": ["a"]}', 'unknown keyword: "requird"'],
    ['a reference to elsewhere', '{"$ref": "https://example.org/a.json"}', "can't resolve reference"],
    ['of another draft', '{"$schema": "http://json-schema.org/draft-07/schema#"}', 'draft-07'],
    ['too deep', nested(100), 'nested more than 64 levels'],
    ['too large', JSON.stringify({ description: 'x'.repeat(300_000) }), 'more than 262,144 bytes'],
    ['one that takes for ever to read', JSON.stringify(SLOW), 'was abandoned'],
  ])('is refused when it is %s', async (_, text, problem) => {
    const { problems } = await load(text === null ? {} : { 'schemas/fix.json': text });
    expect(problems).toMatchObject([
      { key: 'faculty.engage.outcome_schema', line: 6, message: expect.stringContaining(problem) },
    ]);
  });

  it('treats formats as annotations and allows definitions within the file', async () => {
    const schema = {
      $defs: { day: { type: 'string', format: 'date' } },
      type: 'object',
      properties: { a: { $ref: '#/$defs/day' } },
    };
    expect(await outcomeSchemaProblem(schema)).toBeNull();
  });
});

/** Its references are written out a million times. */
const SLOW = {
  $defs: {
    n: { properties: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, { type: 'string' }])) },
  },
  allOf: Array.from({ length: 1500 }, () => ({ $ref: '#/$defs/n' })),
};

function nested(levels: number): string {
  return `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`;
}

async function load(files: Readonly<Record<string, string>>) {
  const directory = mkdtempSync(join(tmpdir(), 'faculties-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, 'schemas'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  writeFileSync(
    join(directory, 'fixer.toml'),
    '[faculty]\nname = "fixer"\n[faculty.engage]\nmodel = "anthropic/claude-sonnet-4-5"\nsystem_prompt = "Fix."\noutcome_schema = "schemas/fix.json"\n',
  );
  const config = loadConfig({ env: { HOME: directory, ANTHROPIC_API_KEY: 'k' }, cwd: directory });
  return loadRunnableFaculties(directory, config);
}
