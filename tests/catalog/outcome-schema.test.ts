import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadFaculties } from '../../src/catalog/faculties.ts';
import { parseOutcomeSchema } from '../../src/catalog/faculty/outcome-schema.ts';

describe('outcome_schema of a faculty', () => {
  it('is read from beside its file, stored as written, and survives JSON', () => {
    const schema = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } };
    const { faculties, problems } = load({ 'schemas/fix.json': JSON.stringify(schema) });
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
  ])('is refused when it is %s', (_, text, problem) => {
    const { problems } = load(text === null ? {} : { 'schemas/fix.json': text });
    expect(problems).toMatchObject([
      { key: 'faculty.engage.outcome_schema', message: expect.stringContaining(problem) },
    ]);
  });

  it('treats formats as annotations and allows definitions within the file', () => {
    const schema = {
      $defs: { day: { type: 'string', format: 'date' } },
      type: 'object',
      properties: { a: { $ref: '#/$defs/day' } },
    };
    expect(parseOutcomeSchema(JSON.stringify(schema))).toEqual({ schema });
  });
});

function load(files: Readonly<Record<string, string>>) {
  const directory = mkdtempSync(join(tmpdir(), 'faculties-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, 'schemas'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  writeFileSync(
    join(directory, 'fixer.toml'),
    '[faculty]\nname = "fixer"\n[faculty.engage]\nmodel = "m"\nsystem_prompt = "Fix."\noutcome_schema = "schemas/fix.json"\n',
  );
  return loadFaculties(directory, { toolNames: [] });
}
