/** Finds rules that can never decide about a call. */
import { commandField, kindOf } from './field-fit.ts';
import { pathCovers, pathPatternProblem } from './fields/path-fit.ts';
import { parseUrlPattern, urlCovers } from './fields/url-fit.ts';
import type { PermissionRule } from './permissions.ts';
import type { FieldPattern } from './rule-key.ts';
import { covers } from './text/wildcard.ts';
import { type FieldKind, stricter, type Verdict } from './verdict.ts';

type Kinds = Readonly<Record<string, FieldKind>>;

/** Why the pattern fits no input of a tool with these fields, for the person who wrote it; null if it may fit one. */
export function patternProblem({ field, pattern }: FieldPattern, verdict: Verdict, kinds: Kinds): string | null {
  if (pattern === '') return 'the pattern is empty';
  switch (kindOf(field ?? commandField(kinds) ?? '', pattern, kinds)) {
    case 'command':
      return commandPatternProblem(pattern, verdict);
    case 'tree':
    case 'path':
      return pathPatternProblem(pattern);
    case 'url': {
      const parsed = parseUrlPattern(pattern);
      return 'problem' in parsed ? parsed.problem : null;
    }
    case 'text':
      return null;
  }
}

/** Commands are compared as words with single spaces between them, without quotes and escapes. */
function commandPatternProblem(pattern: string, verdict: Verdict): string | null {
  if (/^ | $| {2}|\t/.test(pattern)) return 'commands are compared with single spaces between their words';
  if (/(^| )["']/.test(pattern)) return 'commands are compared without quotes; write the words alone';
  const plain = pattern.replaceAll(/\\[*\\]/g, '');
  const operator = /[;&|<>`]|\$\(|\n/.exec(plain);
  if (operator === null) return null;
  const what =
    verdict === 'auto'
      ? 'is allowed only as a whole, and only if it is one command'
      : 'is compared with one command at a time';
  return `a command line ${what}, so ${JSON.stringify(operator[0])} cannot be a part of the pattern`;
}

/** The rule with patterns for the same tool that is stricter and fits every call that this one fits; null if there is none. */
export function overruledBy(
  rule: PermissionRule,
  rules: readonly PermissionRule[],
  kinds: Kinds,
): PermissionRule | null {
  const others = rules.filter((other) => other !== rule && other.tool === rule.tool && other.patterns !== null);
  // `tool(*)` fits every call, so what is said about `tool` alone never counts.
  if (rule.patterns === null) {
    const isWhole = (other: PermissionRule) =>
      other.patterns?.length === 0 && (other.verdict !== 'auto' || commandField(kinds) === null);
    return others.find(isWhole) ?? null;
  }
  const isStricter = (other: PermissionRule) =>
    other.verdict !== rule.verdict && stricter(other.verdict, rule.verdict) === other.verdict;
  return others.find((other) => isStricter(other) && includes(other, rule, kinds)) ?? null;
}

/** True if each pattern of `wide` covers one of `narrow` about the same field. */
function includes(wide: PermissionRule, narrow: PermissionRule, kinds: Kinds): boolean {
  return (wide.patterns ?? []).every((a) =>
    (narrow.patterns ?? []).some((b) => a.field === b.field && patternCovers(a, b.pattern, kinds)),
  );
}

function patternCovers({ field, pattern }: FieldPattern, narrow: string, kinds: Kinds): boolean {
  const name = field ?? commandField(kinds) ?? '';
  const kind = kindOf(name, pattern, kinds);
  if (kind !== kindOf(name, narrow, kinds)) return false;
  if (kind === 'url') return urlCovers(pattern, narrow);
  return kind === 'path' || kind === 'tree' ? pathCovers(pattern, narrow) : covers(pattern, narrow);
}
