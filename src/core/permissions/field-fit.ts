/** Whether a pattern over a field of the input matches a call. */
import { type CommandLine, commandLine } from './command/command-fit.ts';
import { pathAllowed, pathMayBeBelow, pathTouched } from './fields/path-fit.ts';
import { urlAllowed, urlTouched } from './fields/url-fit.ts';
import type { FieldPattern } from './rule-key.ts';
import { fit, folded } from './text/wildcard.ts';
import type { FieldKind } from './verdict.ts';

/** The input of a call, for rules. */
export interface CallFields {
  /** Final: after hooks, parsed by the tool's schema. */
  readonly input: unknown;
  /** Values of fields that stand deeper in the input, such as the paths in a patch; null for a field that cannot be read. */
  readonly values?: Readonly<Record<string, readonly string[] | null>>;
  /** Further values of fields, for rules that ask or forbid: what the input leads to. */
  readonly also?: Readonly<Record<string, readonly string[]>>;
  /** Where relative paths of the tool begin, absolute and real; null if that is not known. */
  readonly workspace: string | null;
  /** Paths of the input → where they lead through links. */
  readonly realPaths?: ReadonlyMap<string, string>;
}

/** Command lines that were read for a call. */
export type CommandLines = Map<string, CommandLine>;

/** `maybe` never counts as allowed. */
export interface FieldFit {
  /** `more`: a `maybe` only because a program may run others by itself, as a test runner does. */
  readonly fit: 'yes' | 'maybe' | 'more' | 'no';
  /** Why it is only `maybe`, for people. */
  readonly unclear: string | null;
}

/**
 * `allowing`: the rule allows, so every value must fit as a whole, and nothing is guessed. Otherwise the rule asks or forbids, and it is enough
 * that a part of one value may fit.
 */
export function fieldFit(
  { field: written, pattern }: FieldPattern,
  allowing: boolean,
  call: CallFields,
  kinds: Readonly<Record<string, FieldKind>>,
  lines: CommandLines,
): FieldFit {
  const field = written ?? commandField(kinds);
  if (field === null) return NO;
  const kind = kindOf(field, pattern, kinds);
  const given = valuesOf(field, call);
  if (given === null) return { fit: 'maybe', unclear: `${field} cannot be compared` };
  const values = given.length === 0 && kind === 'tree' ? ['.'] : given;
  const compared = allowing ? values : [...values, ...(call.also?.[field] ?? [])];
  const fits = compared.map((value) => valueFit(kind, pattern, value, allowing, call, lines));
  if (allowing) return fits.length > 0 && fits.every((one) => one.fit === 'yes') ? YES : NO;
  const found = (wanted: FieldFit['fit']) => fits.find(({ fit }) => fit === wanted);
  return found('yes') ?? found('maybe') ?? found('more') ?? NO;
}

/** The field with the command line; null if the tool runs none. */
export function commandField(kinds: Readonly<Record<string, FieldKind>>): string | null {
  return Object.entries(kinds).find(([, kind]) => kind === 'command')?.[0] ?? null;
}

/** How the field is compared: as the tool says, otherwise as the pattern suggests. */
export function kindOf(field: string, pattern: string, kinds: Readonly<Record<string, FieldKind>>): FieldKind {
  const known = kinds[field];
  if (known !== undefined) return known;
  if (/^https?:\/\//i.test(pattern)) return 'url';
  return pattern.includes('/') ? 'path' : 'text';
}

const YES: FieldFit = { fit: 'yes', unclear: null };
const NO: FieldFit = { fit: 'no', unclear: null };

/** Null for a value that is not text; a field that is left out has no values. */
function valuesOf(field: string, { input, values }: CallFields): readonly string[] | null {
  const given = values?.[field];
  if (given !== undefined) return given;
  const record = typeof input === 'object' && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  const value = Object.hasOwn(record, field) ? record[field] : undefined;
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!list.every((one) => ['string', 'number', 'boolean'].includes(typeof one))) return null;
  return list.map(String);
}

function valueFit(
  kind: FieldKind,
  pattern: string,
  value: string,
  allowing: boolean,
  call: CallFields,
  lines: CommandLines,
): FieldFit {
  switch (kind) {
    case 'command': {
      const line = lines.get(value) ?? commandLine(value);
      lines.set(value, line);
      if (allowing) return line.allowedBy(pattern) ? YES : NO;
      const how = line.touchedBy(pattern);
      return how === 'maybe' || how === 'more' ? { fit: how, unclear: line.unclear } : how === 'yes' ? YES : NO;
    }
    case 'tree':
    case 'path': {
      const places = [value, call.realPaths?.get(value) ?? value];
      const fits = (path: string) => (allowing ? pathAllowed : pathTouched)(pattern, path, call.workspace);
      if (allowing ? places.every(fits) : places.some(fits)) return YES;
      if (allowing || kind === 'path') return NO;
      const isAbove = places.some((path) => pathMayBeBelow(pattern, path, call.workspace));
      return isAbove ? { fit: 'maybe', unclear: 'it reads everything below a directory' } : NO;
    }
    case 'url': {
      if (allowing) return urlAllowed(pattern, value) ? YES : NO;
      const how = urlTouched(pattern, value);
      if (how === 'maybe') return { fit: how, unclear: 'the URL can be read in more than one way' };
      return how === 'yes' ? YES : NO;
    }
    case 'text':
      return fit(pattern, value) === 'yes' || (!allowing && fit(folded(pattern), folded(value)) === 'yes') ? YES : NO;
  }
}
