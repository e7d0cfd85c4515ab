/** What animus adds to the format: the `animus.*` keys of `metadata`. */
import { didYouMean } from '../../core/errors/suggest.ts';
import type { Skill, SkillTriggers } from './skill.ts';
import type { FindField } from './skill-fields.ts';
import { isUsableSkillName } from './skill-name.ts';

/** What the `animus.*` keys say. */
export type AnimusFields = Pick<Skill, 'triggers' | 'depends' | 'conflicts' | 'version' | 'origin' | 'command'>;

/** The `animus.*` keys. There are no others. */
export const ANIMUS_KEYS = [
  'animus.faculties',
  'animus.keywords',
  'animus.params',
  'animus.auto',
  'animus.depends',
  'animus.conflicts',
  'animus.version',
  'animus.origin',
  'animus.command',
] as const;
type AnimusKey = (typeof ANIMUS_KEYS)[number];

const MOST_ENTRIES = 100;
const MOST_CHARACTERS = 128;

/** Reads the `animus.*` keys. A value that is not understood is a finding, and left out. */
export function readAnimusMetadata(metadata: Readonly<Record<string, string>>, find: FindField): AnimusFields {
  for (const key of Object.keys(metadata)) {
    if (!key.startsWith('animus.') || (ANIMUS_KEYS as readonly string[]).includes(key)) continue;
    find('foreign', `metadata.${key}`, `${key} is not a key of animus${didYouMean(key, ANIMUS_KEYS)}; it is ignored`);
  }
  const reader = metadataReader(metadata, find);
  return {
    triggers: triggersOf(reader),
    depends: reader.list('animus.depends', /[\s,]+/, isUsableSkillName, 'the name of a skill'),
    conflicts: reader.list('animus.conflicts', /[\s,]+/, isUsableSkillName, 'the name of a skill'),
    version: reader.text('animus.version', isShort, `a text of at most ${MOST_CHARACTERS} characters`),
    origin: reader.text('animus.origin', isOrigin, '"person" or "agent"') === 'agent' ? 'agent' : 'person',
    command: reader.text('animus.command', isCommand, 'lower-case letters, digits, - and _, without a slash'),
  };
}

function triggersOf(reader: MetadataReader): SkillTriggers {
  const faculties = reader.list('animus.faculties', /[\s,]+/, isFaculty, 'the name of a faculty, or *');
  const keywords = reader.list('animus.keywords', ',', isShort, `words of at most ${MOST_CHARACTERS} characters`);
  const params: Record<string, readonly string[]> = Object.create(null) as Record<string, readonly string[]>;
  for (const part of reader.list('animus.params', ',', isParam, 'key=value or key=one|other')) {
    const [key = '', values = ''] = part.split('=').map((each) => each.trim());
    params[key] = [...(params[key] ?? []), ...entriesOf(values, '|')];
  }
  const written = reader.text('animus.auto', (text) => text === 'true' || text === 'false', '"true" or "false"');
  const auto = written === null ? keywords.length > 0 || Object.keys(params).length > 0 : written === 'true';
  return { faculties, keywords, params, auto };
}

interface MetadataReader {
  /** The value if it is `sound`, else null; a value that is not is a finding. */
  text(key: AnimusKey, sound: (text: string) => boolean, expected: string): string | null;
  /** The different entries that are `sound`. */
  list(key: AnimusKey, separator: string | RegExp, sound: (text: string) => boolean, expected: string): string[];
}

function metadataReader(metadata: Readonly<Record<string, string>>, find: FindField): MetadataReader {
  const refuse = (key: AnimusKey, text: string, expected: string) => {
    const shown = text.length <= 60 ? text : `${text.slice(0, 57)}...`;
    find('foreign', `metadata.${key}`, `${key}: expected ${expected}, got ${JSON.stringify(shown)}; it is ignored`);
  };
  return {
    text(key, sound, expected) {
      const text = metadata[key];
      if (text === undefined) return null;
      if (sound(text)) return text;
      refuse(key, text, expected);
      return null;
    },
    list(key, separator, sound, expected) {
      const different = [...new Set(entriesOf(metadata[key] ?? '', separator))];
      if (different.length > MOST_ENTRIES) refuse(key, metadata[key] ?? '', `at most ${MOST_ENTRIES} entries`);
      return different.slice(0, MOST_ENTRIES).filter((each) => {
        if (sound(each)) return true;
        refuse(key, each, expected);
        return false;
      });
    },
  };
}

function entriesOf(text: string, separator: string | RegExp): string[] {
  const entries = text.split(separator).map((each) => each.trim());
  return entries.filter((each) => each !== '');
}

const isShort = (text: string) => text.length > 0 && text.length <= MOST_CHARACTERS;
const isOrigin = (text: string) => text === 'person' || text === 'agent';
const isCommand = (text: string) => isShort(text) && /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/.test(text);
const isFaculty = (text: string) => /^(?:\*|[a-z0-9][a-z0-9_-]{0,62})$/.test(text);
const isParam = (text: string) => /^[^=]+=[^=]*[^=\s][^=]*$/.test(text);
