import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { schemaKeys } from '../../scripts/schema-keys.ts';
import { pagesWithKeys } from '../../scripts/written-keys.ts';
import { loadConfig } from '../../src/catalog/config/load-config.ts';
import { loadFaculties } from '../../src/catalog/faculties.ts';
import { facultySchema } from '../../src/catalog/faculty/faculty-schema.ts';
import { SECTIONS, schemaOf } from '../../src/core/config/sections/sections.ts';
import { permissionOf } from '../../src/core/permissions/permissions.ts';
import { loadSections } from '../../src/features/features.ts';
import { FACULTY_TOOL_NAMES, permittedTool } from '../../src/tools/registry.ts';
import { bashTool } from '../../src/tools/shell.ts';
import { documentedKeys } from '../support/documented-keys.ts';

const DOCS = new URL('../../docs/', import.meta.url).pathname;
const page = (name: string) => readFileSync(`${DOCS}${name}`, 'utf8');
const OTHERS = await loadSections();
const PAGES = await pagesWithKeys();

describe('the documentation of TOML', () => {
  test.each([...PAGES])('%s has the keys; after a change: npm run docs:keys', (path, text) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('says of each key of animus.toml what it is for', () => {
    expect(schemaKeys(schemaOf([...SECTIONS, ...OTHERS])).filter(({ about }) => about === '')).toEqual([]);
  });

  test('faculties.md lists exactly the keys of the schema, with what they expect and their defaults', () => {
    const keys = schemaKeys(facultySchema).map(({ about: _, ...key }) => key);
    expect(byKey(documentedKeys(page('faculties.md')))).toEqual(byKey(keys));
  });

  test('has an example configuration that is valid', () => {
    const config = loadConfig({ env: { HOME: '/home/ada' }, cwd: `${DOCS}examples` }, OTHERS);
    expect([...config.providers.keys()]).toEqual(['anthropic', 'openai', 'gateway', 'local', 'rehearsal']);
    expect(config.models.get('gateway/claude-sonnet-4-5')?.usdPerMillion?.cacheRead).toBe(0.3);
  });

  test('shows a faculty that asks before git push and nothing else', () => {
    const directory = mkdtempSync(join(tmpdir(), 'asking-faculty-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const [, shown = ''] = /```toml\n([^]*?)```/.exec(page('approvals.md')) ?? [];
    mkdirSync(join(directory, 'faculties'));
    writeFileSync(join(directory, 'faculties', 'maintainer.toml'), shown);
    const { faculties, problems } = loadFaculties(join(directory, 'faculties'), { toolNames: FACULTY_TOOL_NAMES });
    expect(problems).toEqual([]);
    const { permissions, budget } = faculties.get('maintainer')!;
    const tool = permittedTool(bashTool);
    const verdictOf = (command: string) =>
      permissionOf(permissions!, { tool, input: { command }, workspace: directory, unprotected: true }).verdict;
    expect([verdictOf('npm test'), verdictOf('git commit -am "Update"')]).toEqual(['auto', 'auto']);
    expect(verdictOf('npm test && git push')).toBe('ask');
    expect(verdictOf('git push origin --force')).toBe('forbid');
    expect(budget).toMatchObject({ limits: [{ scope: 'faculty', period: 'day', unit: 'usd', amount: 5 }] });
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
