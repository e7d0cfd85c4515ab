import { basename, dirname, join } from 'node:path';
import { parse, stringify, type TomlTable } from 'smol-toml';
import { sourcesOf } from '../../../src/catalog/config/config-files.ts';
import { readFaculty } from '../../../src/catalog/read-faculty.ts';
import { readConfig } from '../../../src/core/config/read-config.ts';
import { loadSections } from '../../../src/features/features.ts';
import { parseScript } from '../../../src/llm/scripted/script.ts';
import { FACULTY_TOOL_NAMES } from '../../../src/tools/registry.ts';

const SECTIONS = await loadSections();

/** What an excerpt of a faculty stands in, where it does not say otherwise. */
const FACULTY: TomlTable = { faculty: { name: 'excerpt', description: 'What the page shows' } };
const LOOP: TomlTable = {
  faculty: { engage: { model: 'claude-sonnet-4-5', system_prompt: 'Do what the task says.', tools: ['bash'] } },
};

/**
 * What is wrong with TOML that a page shows, in the file `path`: a script, a faculty or `animus.toml`, as its tables say. An excerpt of a
 * faculty is checked with the rest of one. Files that it names are looked for beside `path`.
 */
export function tomlProblems(text: string, path: string): readonly string[] {
  if (/^\[\[answer/m.test(text)) return problemsOf(() => parseScript(text, path));
  if (/^\[faculty\]/m.test(text) && /^\[faculty\.engage\]/m.test(text)) return facultyProblems(text, path);
  if (/^\[faculty/m.test(text)) {
    const rest = /^mode = /m.test(text) ? FACULTY : completed(FACULTY, LOOP);
    return facultyProblems(stringify(completed(rest, parse(text))), path);
  }
  const sources = sourcesOf({ env: { HOME: dirname(path) }, cwd: dirname(path) }, { path, text });
  return problemsOf(() => readConfig(sources, SECTIONS));
}

/** Where an excerpt would be in a project: beside the faculties, or beside `animus.toml`. */
export function excerptPath(text: string, directory: string): string {
  return join(directory, /^\[faculty/m.test(text) ? 'faculties/excerpt.toml' : 'animus.toml');
}

function facultyProblems(text: string, path: string): readonly string[] {
  const { problems } = readFaculty(path, text, { toolNames: FACULTY_TOOL_NAMES });
  return problems.map(({ message }) => `${basename(path)}: ${message}`);
}

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function completed(base: TomlTable, over: TomlTable): TomlTable {
  const result: TomlTable = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = result[key];
    result[key] = isTable(below) && isTable(value) ? completed(below, value) : value;
  }
  return result;
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
