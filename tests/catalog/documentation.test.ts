import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadFaculties } from '../../src/catalog/faculties.ts';
import { facultySchema } from '../../src/catalog/faculty-schema.ts';
import { loadConfig } from '../../src/catalog/load-config.ts';
import { configSchema } from '../../src/core/config/config-schema.ts';
import { FACULTY_TOOL_NAMES } from '../../src/tools/registry.ts';
import { documentedKeys, documentedPlanned, schemaKeys } from '../support/schema-keys.ts';

const DOCS = new URL('../../docs/', import.meta.url).pathname;
const page = (name: string) => readFileSync(`${DOCS}${name}`, 'utf8');

describe('the documentation of TOML', () => {
  test.each([
    ['config.md', configSchema],
    ['faculties.md', facultySchema],
  ])('%s lists exactly the keys of the schema, with what they expect and their defaults', (name, schema) => {
    const { supported, planned } = schemaKeys(schema);
    expect(byKey(documentedKeys(page(name)))).toEqual(byKey(supported));
    expect(documentedPlanned(page(name)).toSorted()).toEqual(planned.toSorted());
  });

  test('has an example configuration that is valid', () => {
    const config = loadConfig({ env: { HOME: '/home/ada' }, cwd: `${DOCS}examples` });
    expect([...config.providers.keys()]).toEqual(['anthropic', 'openai', 'gateway', 'local', 'rehearsal']);
    expect(config.models.get('gateway/claude-sonnet-4-5')?.usdPerMillion.cacheRead).toBe(0.3);
  });

  test('has an example faculty that is valid, and quotes it as it is', () => {
    const { faculties, problems } = loadFaculties(`${DOCS}examples/faculties`, { toolNames: FACULTY_TOOL_NAMES });
    expect(problems).toEqual([]);
    expect(faculties.get('scribe')).toMatchObject({ maxConcurrent: 1, recover: { maxAttempts: 2 } });
    expect(page('faculties.md')).toContain(`\`\`\`toml\n${page('examples/faculties/scribe.toml')}\`\`\``);
  });

  test.each([
    ['{"final_text":"Done."}', 0, ''],
    ['{"final_text": ""}', 2, 'the scribe said nothing\n'],
  ])('has an example hook that answers %s with %i', (stdin, status, stderr) => {
    const hook = `${DOCS}examples/faculties/hooks/says-something.sh`;
    expect(spawnSync(hook, { input: stdin, encoding: 'utf8' })).toMatchObject({ status, stderr });
  });
});

describe('the faculties that come with animus', () => {
  test('have no problems', () => {
    const directory = new URL('../../faculties/', import.meta.url).pathname;
    const { faculties, problems } = loadFaculties(directory, { toolNames: FACULTY_TOOL_NAMES });
    expect(problems).toEqual([]);
    expect([...faculties.keys()]).toContain('engineer');
  });
});

function byKey(keys: readonly { readonly key: string }[]) {
  return keys.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
