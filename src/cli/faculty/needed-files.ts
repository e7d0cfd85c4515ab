/** The files that a faculty needs beside its own: prompts, hooks, schemas, scripts, folders of documents, and other faculties. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parse } from 'smol-toml';
import type { Faculty } from '../../catalog/faculty/faculty.ts';

/**
 * The paths of all files below `directory` that a faculty in it needs, relative to it: its own file, each path that a value of the file names,
 * the files that those load, and the script that rehearses it (`scripts/NAME.toml`), if there is one.
 */
export function neededFiles(directory: string, { name, file }: Pick<Faculty, 'name' | 'file'>): string[] {
  const found = new Set<string>();
  const add = (path: string) => {
    for (const each of filesAt(directory, path)) {
      if (found.has(each)) continue;
      found.add(each);
      for (const loaded of loadedBy(directory, each)) add(loaded);
    }
  };
  add(relative(directory, file));
  for (const text of texts(parse(readFileSync(file, 'utf8')))) add(text);
  add(join('scripts', `${name}.toml`));
  return [...found];
}

/** The file at this path, or the files in the folder there; none if there is nothing, or it is not below the directory. */
function filesAt(directory: string, path: string): string[] {
  if (path === '' || path.includes('\n')) return [];
  const inside = relative(directory, join(directory, path));
  if (inside === '' || inside.startsWith('..') || !existsSync(join(directory, inside))) return [];
  if (statSync(join(directory, inside)).isFile()) return [inside];
  return readdirSync(join(directory, inside)).flatMap((name) => filesAt(directory, join(inside, name)));
}

/** What a hook in JavaScript loads: files that it names relative to itself, and the package.json that says how Node reads it. */
function loadedBy(directory: string, path: string): string[] {
  if (!/\.[cm]?js$/.test(path)) return [];
  const names = [...readFileSync(join(directory, path), 'utf8').matchAll(/['"](\.\.?\/[^'"\n]+)['"]/g)];
  return ['package.json', ...names.map(([, name]) => name!)].map((name) => join(dirname(path), name));
}

/** All texts in a value. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}
