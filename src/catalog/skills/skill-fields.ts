/** Checks the fields of a front matter against the Agent Skills format. */
import { didYouMean } from '../../core/errors/suggest.ts';
import type { Finding } from './finding.ts';
import type { FrontMatter, FrontValue } from './front-matter.ts';
import type { Skill } from './skill.ts';
import { isSkillName, isUsableSkillName, SKILL_NAME_RULE } from './skill-name.ts';

/** The fields of a skill as the format knows them. */
export type SkillFields = Pick<
  Skill,
  'name' | 'description' | 'license' | 'compatibility' | 'metadata' | 'allowedTools'
>;

/** The top-level fields of the format. There are no others. */
export const SKILL_FIELDS = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'] as const;

/** Characters of a description. */
export const MOST_DESCRIPTION = 1024;
const MOST_COMPATIBILITY = 500;

/** Adds a finding about SKILL.md. */
export type FindField = (rank: Finding['rank'], key: string | null, what: string) => void;

/**
 * Reads the fields. `directoryName` is the name that the format wants, and the one that is used when the written name is not usable. Null
 * if the skill cannot be used; the findings say why.
 */
export function readSkillFields(front: FrontMatter, directoryName: string, find: FindField): SkillFields | null {
  for (const key of front.values.keys()) {
    if ((SKILL_FIELDS as readonly string[]).includes(key)) continue;
    find('foreign', key, `${show(key)} is not a field of the format${didYouMean(key, SKILL_FIELDS)}; it is ignored`);
  }
  for (const key of front.untexts) {
    if (!front.values.has(key) && !key.startsWith('metadata.')) continue;
    find('own', key, `the value of ${key} must be in quotes: other readers would not take it for text`);
  }
  const name = nameOf(front, directoryName, find);
  const description = descriptionOf(front, find);
  const license = textOf(front, 'license', find);
  const compatibility = textOf(front, 'compatibility', find);
  if (compatibility !== null && count(compatibility) > MOST_COMPATIBILITY) {
    const what = `compatibility has ${count(compatibility)} characters; at most ${MOST_COMPATIBILITY} are allowed`;
    find('foreign', 'compatibility', what);
  }
  const allowedTools = textOf(front, 'allowed-tools', find);
  const metadata = metadataOf(front, find);
  if (name === null || description === null) return null;
  return { name, description, license, compatibility, metadata, allowedTools };
}

function nameOf(front: FrontMatter, directoryName: string, find: FindField): string | null {
  const written = front.values.get('name');
  const raw = typeof written === 'string' ? written.trim() : '';
  const name = raw === '' ? null : raw.normalize('NFKC');
  if (name !== null && isUsableSkillName(name)) {
    if (!isSkillName(raw)) find('foreign', 'name', `the name ${show(written)} is not ${SKILL_NAME_RULE} (a-z, 0-9)`);
    if (name !== directoryName.normalize('NFKC'))
      find('foreign', 'name', `the name ${show(name)} differs from that of its directory, ${show(directoryName)}`);
    return name;
  }
  const wrong = written === undefined ? 'has no name' : `the name ${show(written)} is not ${SKILL_NAME_RULE}`;
  if (!isSkillName(directoryName)) {
    find('broken', 'name', wrong);
    return null;
  }
  find('foreign', 'name', `${wrong}; the name of its directory is used`);
  return directoryName;
}

function descriptionOf(front: FrontMatter, find: FindField): string | null {
  const text = textOf(front, 'description', find, 'broken');
  if (text === null) {
    if (!front.values.has('description')) find('broken', 'description', 'has no description');
    return null;
  }
  const length = count(text);
  if (length <= MOST_DESCRIPTION) return text;
  find('foreign', 'description', `the description has ${length} characters; the first ${MOST_DESCRIPTION} are used`);
  return Array.from(text).slice(0, MOST_DESCRIPTION).join('');
}

/** Null without a value. A list of texts is joined: `allowed-tools` is often written as one. */
function textOf(
  front: FrontMatter,
  key: string,
  find: FindField,
  otherwise: Finding['rank'] = 'foreign',
): string | null {
  const value = front.values.get(key);
  if (value === undefined) return null;
  if (typeof value === 'string') {
    const text = value.trim();
    const control = unprintable(text);
    if (control !== null) {
      find('broken', key, `${key} contains the control character ${control}`);
      return null;
    }
    if (text === '') find(otherwise, key, `${key} has no value`);
    return text === '' ? null : text;
  }
  if (key === 'allowed-tools' && isTexts(value)) {
    find('foreign', key, `${key} is a list; the format expects one string, with the tools separated by spaces`);
    return value.join(' ');
  }
  find(otherwise, key, `${key} is not text`);
  return null;
}

function metadataOf(front: FrontMatter, find: FindField): Record<string, string> {
  const value = front.values.get('metadata');
  const metadata: Record<string, string> = Object.create(null) as Record<string, string>;
  if (value === undefined || value === '') return metadata;
  if (!(value instanceof Map)) {
    find('foreign', 'metadata', 'metadata is not a list of "key: value" lines; it is ignored');
    return metadata;
  }
  for (const [key, each] of value) {
    const place = `metadata.${String(key)}`;
    if (typeof key !== 'string' || typeof each !== 'string') {
      find('foreign', place, `${place} is not text; it is ignored`);
      continue;
    }
    const control = unprintable(key + each);
    if (control !== null) find('broken', place, `${show(place)} contains the control character ${control}`);
    else metadata[key] = each.trim();
  }
  return metadata;
}

// C0 without tab and line feed, DEL, C1, and halves of surrogate pairs.
const CONTROL = /(?![\t\n])[\p{Cc}\p{Cs}]/u;

/** The first control character other than tab and line feed, as `U+0000`; null if there is none. */
export function unprintable(text: string): string | null {
  const found = CONTROL.exec(text);
  if (found === null) return null;
  return `U+${found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function isTexts(value: FrontValue): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function count(text: string): number {
  return Array.from(text).length;
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : 'that is not text';
  return text.length <= 80 ? text : `${text.slice(0, 77)}..."`;
}
