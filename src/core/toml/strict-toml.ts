/** Strict TOML: one pass reports all problems of a text, with key, line, expectation and closest known key. */
import { parse, TomlError } from 'smol-toml';
import type { z } from 'zod';
import { messageOf } from '../errors/errors.ts';
import { type Place, type Problem, problemAt, showValue } from '../errors/problem.ts';
import { didYouMean } from '../errors/suggest.ts';
import { valueBeyond } from '../text/json-bounds.ts';
import { JSON_LIMITS } from '../text/json-limits.ts';
import { expectationOf, fieldAt, fieldsOf, unwrapField } from './fields.ts';
import { keyLines, pathKey } from './toml-lines.ts';

/** The text of a file, parsed and validated by a schema. */
export interface StrictDocument<Value> {
  /** The valid part of the text, with defaults, for checks across keys; null if nothing is valid. Use it as the result only if there are no problems. */
  readonly sound: Value | null;
  readonly problems: readonly Problem[];
  /** The value written at a path, valid or not. */
  written(...path: string[]): unknown;
  /** The value written at a path, if it exists and is valid. */
  given(...path: string[]): unknown;
  /** The place where a path is written, or where it is missing. */
  placeOf(...path: string[]): Place;
  /** `file:line` of a path that was written; null if its default applies. */
  originOf(...path: string[]): string | null;
}

/** Parses and validates; never throws because of the text. */
export function readStrictToml<Schema extends z.ZodType>(
  file: string,
  text: string,
  schema: Schema,
): StrictDocument<z.output<Schema>> {
  const parsed = parseToml(text);
  if (!parsed.ok) {
    const problem = problemAt('config.syntax', { file, line: parsed.line, key: null }, { detail: parsed.detail });
    return brokenDocument(file, problem);
  }
  const lines = keyLines(text);
  const result = schema.safeParse(parsed.raw);
  const placeAt = (path: readonly PropertyKey[]): Place => ({ file, line: lineOf(lines, path), key: showPath(path) });
  const found = result.success ? [] : explain(result.error.issues, parsed.raw, schema, placeAt);
  const wrong = new Set(found.map(({ path }) => pathKey(path)));
  return {
    sound: result.success ? result.data : parseSound(parsed.raw, result.error.issues, schema),
    problems: found.map(({ problem }) => problem),
    written: (...path) => valueAt(parsed.raw, path),
    given: (...path) => (isWrong(wrong, path) ? undefined : valueAt(parsed.raw, path)),
    placeOf: (...path) => placeAt(path),
    originOf: (...path) => {
      const line = valueAt(parsed.raw, path) === undefined ? null : lineOf(lines, path);
      return line === null ? null : `${file}:${line}`;
    },
  };
}

/** A path as it would be written in TOML; `[n]` for places in a list. */
function showPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = String(part);
      return (index === 0 ? '' : '.') + (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name));
    })
    .join('');
}

interface Found {
  readonly path: readonly PropertyKey[];
  readonly problem: Problem;
}

type Parsed =
  | { readonly ok: true; readonly raw: Record<string, unknown> }
  | { readonly ok: false; readonly line: number | null; readonly detail: string };

function parseToml(text: string): Parsed {
  const { bytes } = JSON_LIMITS.tomlFile;
  if (Buffer.byteLength(text) > bytes) return { ok: false, line: null, detail: `it has more than ${bytes} bytes` };
  try {
    // Some editors write a byte order mark first; TOML requires readers to skip it.
    const raw = parse(text.replace(/^\uFEFF/, ''));
    const beyond = valueBeyond(raw, JSON_LIMITS.tomlFile);
    return beyond === null ? { ok: true, raw } : { ok: false, line: null, detail: beyond };
  } catch (error) {
    if (!(error instanceof TomlError)) return { ok: false, line: null, detail: messageOf(error) };
    const detail = error.message.split('\n', 1)[0]?.replace('Invalid TOML document: ', '') ?? '';
    return { ok: false, line: error.line, detail };
  }
}

function brokenDocument<Value>(file: string, problem: Problem): StrictDocument<Value> {
  return {
    sound: null,
    problems: [problem],
    written: () => undefined,
    given: () => undefined,
    placeOf: (...path) => ({ file, line: null, key: showPath(path) }),
    originOf: () => null,
  };
}

/** Removes invalid values, and tables that lack required keys, until the rest is valid. */
function parseSound<Schema extends z.ZodType>(
  raw: unknown,
  issues: readonly z.core.$ZodIssue[],
  schema: Schema,
): z.output<Schema> | null {
  const rest = structuredClone(raw);
  let open = issues;
  while (open.length > 0) {
    let removed = false;
    for (const issue of open) {
      const paths =
        issue.code === 'unrecognized_keys'
          ? issue.keys.map((key) => [...issue.path, key])
          : [nearestWritten(rest, issue.path)];
      for (const path of paths) removed = remove(rest, path) || removed;
    }
    const result = schema.safeParse(rest);
    if (result.success) return result.data;
    if (!removed) return null;
    open = result.error.issues;
  }
  return null;
}

function nearestWritten(raw: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] {
  let written = path;
  while (written.length > 0 && valueAt(raw, written) === undefined) written = written.slice(0, -1);
  // An invalid element makes its whole list invalid: removing the element would shift the others.
  const list = written.findIndex((part) => typeof part === 'number');
  return list === -1 ? written : written.slice(0, list);
}

function remove(raw: unknown, path: readonly PropertyKey[]): boolean {
  const key = path.at(-1);
  const parent = valueAt(raw, path.slice(0, -1));
  if (key === undefined || typeof parent !== 'object' || parent === null) return false;
  return Reflect.deleteProperty(parent, key);
}

/** One problem per path, in the order of the text. */
function explain(
  issues: readonly z.core.$ZodIssue[],
  raw: unknown,
  schema: z.core.$ZodType,
  placeAt: (path: readonly PropertyKey[]) => Place,
): Found[] {
  const found = new Map<string, Found>();
  const add = (path: readonly PropertyKey[], problem: Problem) => {
    if (!found.has(pathKey(path))) found.set(pathKey(path), { path, problem });
  };
  for (const issue of issues) {
    const { path } = issue;
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add([...path, key], unknownKey(path, key, schema, placeAt([...path, key])));
    } else {
      const expected = issue.code === 'invalid_key' ? keyExpectation(schema, path) : expectationAt(schema, path);
      const value = issue.code === 'invalid_key' ? path.at(-1) : valueAt(raw, path);
      const hint = issue.code === 'custom' ? String(issue.params?.['hint'] ?? '') : '';
      add(path, problemAt('config.invalid', placeAt(path), { expected, value: showValue(value), hint }));
    }
  }
  return [...found.values()].toSorted((a, b) => (a.problem.line ?? 0) - (b.problem.line ?? 0));
}

function unknownKey(path: readonly PropertyKey[], key: string, schema: z.core.$ZodType, place: Place): Problem {
  const table = fieldAt(schema, path);
  const siblings = table === null ? [] : [...(fieldsOf(table)?.keys() ?? [])];
  const near = didYouMean(key, siblings);
  const home = near === '' ? tableOfKey(schema, key) : null;
  return problemAt('config.unknown_key', place, { hint: home === null ? near : ` (it belongs in [${home}])` });
}

/** The table in which a key of this name exists, for keys under the wrong header. */
function tableOfKey(schema: z.core.$ZodType, key: string, at: readonly string[] = []): string | null {
  for (const [name, field] of fieldsOf(schema) ?? []) {
    if (name === key && at.length > 0) return showPath(at);
    const deeper = tableOfKey(field, key, [...at, name]);
    if (deeper !== null) return deeper;
  }
  return null;
}

function expectationAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string {
  const field = fieldAt(schema, path);
  return field === null ? 'another value' : expectationOf(field);
}

/** The expected form of a key that the user chooses. */
function keyExpectation(schema: z.core.$ZodType, path: readonly PropertyKey[]): string {
  const table = fieldAt(schema, path.slice(0, -1));
  const def = table === null ? null : unwrapField(table)._zod.def;
  return def?.type === 'record' ? `as name ${expectationOf((def as z.core.$ZodRecordDef).keyType)}` : 'another name';
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** True if the path, a table around it, or a value inside it has a problem. */
function isWrong(wrong: ReadonlySet<string>, path: readonly string[]): boolean {
  if (path.some((_, index) => wrong.has(pathKey(path.slice(0, index + 1))))) return true;
  const inside = `${pathKey(path)}\u0000`;
  return [...wrong].some((key) => key.startsWith(inside));
}

/** The line of the path, else of the closest table around it. */
function lineOf(lines: ReadonlyMap<string, number>, path: readonly PropertyKey[]): number | null {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(pathKey(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return null;
}
