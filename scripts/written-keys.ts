/** The keys of animus.toml and of faculties, as tables of the docs. */
import { readFileSync } from 'node:fs';
import { facultySchema } from '../src/catalog/faculty/faculty-schema.ts';
import { liveSettings } from '../src/core/config/live-settings.ts';
import { SECTIONS, schemaOf } from '../src/core/config/sections/sections.ts';
import type { Section } from '../src/core/config/source/section.ts';
import { loadSections } from '../src/features/features.ts';
import { type SchemaKey, schemaKeys } from './schema-keys.ts';
import { withPart } from './written-part.ts';

/** The pages with tables of keys, by path, with the keys of now. */
export async function pagesWithKeys(): Promise<ReadonlyMap<string, string>> {
  const sections = [...SECTIONS, ...(await loadSections())];
  const config = page('config.md', {
    keys: keyTable(schemaKeys(schemaOf(sections))),
    'live keys': liveKeys(sections),
  });
  const ofBudget = schemaKeys(facultySchema).filter(({ key }) => key.startsWith('faculty.budget.'));
  return new Map([config, page('faculties.md', { 'keys of [faculty.budget]': keyTable(ofBudget) })]);
}

function page(name: string, parts: Readonly<Record<string, string>>): [string, string] {
  const path = new URL(`../docs/${name}`, import.meta.url).pathname;
  let text = readFileSync(path, 'utf8');
  for (const [part, content] of Object.entries(parts)) {
    text = withPart(text, { name: part, by: 'npm run docs:keys' }, content);
  }
  return [path, text];
}

function keyTable(keys: readonly SchemaKey[]): string {
  const rows = keys.map(({ key, expected, fallback, about }) => {
    const standard = fallback === 'none' || fallback === 'required' ? fallback : `\`${fallback}\``;
    return `| \`${key}\` | ${expected} | ${standard} | ${about} |`;
  });
  return `${['| key | expects | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')}\n`;
}

function liveKeys(sections: readonly Section[]): string {
  return `${liveSettings(sections)
    .map((key) => (key.includes('.') ? `\`${key}\`` : `\`[${key}]\``))
    .join(', ')}\n`;
}
