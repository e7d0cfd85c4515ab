/** Reads `[faculty.permissions]`, and finds rules that are mistakes. */

import { showValue } from '../../core/errors/problem.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import type { PermissionRule, Permissions, PermittedTool } from '../../core/permissions/permissions.ts';
import { parseRuleKey } from '../../core/permissions/rule-key.ts';
import { overruledBy, patternProblem } from '../../core/permissions/rule-problems.ts';
import type { Verdict } from '../../core/permissions/verdict.ts';
import { MCP_PREFIX } from '../faculty/mcp-server.ts';
import { conflict, type FacultyCheck, given, tableAt } from './faculty-check.ts';

/** A tool of this program that rules may name. */
export interface KnownTool extends PermittedTool {
  /** The fields of its input. */
  readonly fields: readonly string[];
}

/** Keys that are not rules. */
const SETTINGS: ReadonlySet<string> = new Set(['approval_deadline_seconds', 'four_eyes', 'risk']);

/** The permissions, with every rule that is sound; names of tools and fields are not checked if `tools` is undefined. */
export function readPermissions(check: FacultyCheck, tools: readonly KnownTool[] | undefined): Permissions {
  const rules: PermissionRule[] = [];
  for (const key of Object.keys(tableAt(check, 'permissions') ?? {})) {
    const verdict = SETTINGS.has(key) ? undefined : given(check, 'permissions', key);
    if (verdict === undefined) continue;
    const rule = readRule(check, key, verdict as Verdict, tools);
    if (rule !== null) rules.push(rule);
  }
  for (const rule of rules) {
    const stricter = overruledBy(rule, rules, toolOf(rule.tool, tools)?.kinds ?? {});
    if (stricter === null) continue;
    const detail = `never decides: ${showValue(stricter.key)} = "${stricter.verdict}" matches the same calls; remove one of the two`;
    conflict(check, ['permissions', rule.key], detail);
  }
  const settings = check.document.sound?.faculty.permissions;
  return {
    rules,
    risk: definedOf(settings?.risk ?? {}),
    approvalDeadlineSeconds: settings?.approval_deadline_seconds ?? 86_400,
    ...(settings?.four_eyes && { fourEyes: true }),
  };
}

function readRule(
  check: FacultyCheck,
  key: string,
  verdict: Verdict,
  tools: readonly KnownTool[] | undefined,
): PermissionRule | null {
  const refuse = (detail: string) => {
    conflict(check, ['permissions', key], detail);
    return null;
  };
  const parsed = parseRuleKey(key);
  if ('problem' in parsed) return refuse(parsed.problem);
  const at = check.document.originOf('faculty', 'permissions', key) ?? check.document.placeOf('faculty').file;
  const rule: PermissionRule = { ...parsed, key, verdict, at };
  if (tools === undefined) return rule;
  const problem = nameProblem(check, parsed.tool, tools) ?? fieldProblem(rule, toolOf(parsed.tool, tools));
  if (problem !== null) return refuse(problem);
  for (const pattern of parsed.patterns ?? []) {
    const found = patternProblem(pattern, verdict, toolOf(parsed.tool, tools)?.kinds ?? {});
    if (found !== null) return refuse(`can never match a call: ${found}`);
  }
  return rule;
}

function toolOf(name: string, tools: readonly KnownTool[] | undefined): KnownTool | undefined {
  return tools?.find((tool) => tool.name === name);
}

function nameProblem(check: FacultyCheck, name: string, tools: readonly KnownTool[]): string | null {
  if (name === '*') return null;
  if (name.startsWith(MCP_PREFIX)) return serverProblem(check, name.slice(MCP_PREFIX.length));
  const names = tools.map((tool) => tool.name);
  if (name.endsWith('*')) {
    const beginning = name.slice(0, -1);
    const isFound = names.some((other) => other.startsWith(beginning)) || MCP_PREFIX.startsWith(beginning);
    return isFound ? null : `no tool has a name that begins with ${showValue(beginning)}`;
  }
  return names.includes(name) ? null : `no tool named ${showValue(name)}${didYouMean(name, names)}`;
}

/** The tools of a server are not known before it runs, but the servers are. `rest`: `SERVER_TOOL`, or the beginning of it with a star. */
function serverProblem(check: FacultyCheck, rest: string): string | null {
  const servers = Object.keys(tableAt(check, 'mcp') ?? {});
  const [server = '', tool] = rest.split('_', 2);
  const isKnown =
    tool === undefined ? servers.some((name) => name.startsWith(server.replace(/\*$/, ''))) : servers.includes(server);
  if (isKnown && (tool !== undefined || rest.endsWith('*'))) return null;
  const name = server.replace(/\*$/, '');
  return isKnown
    ? `the tools of ${name} are named ${MCP_PREFIX}${name}_TOOL`
    : `the faculty has no server [faculty.mcp.${name}]${didYouMean(name, servers)}`;
}

function fieldProblem({ tool, patterns }: PermissionRule, known: KnownTool | undefined): string | null {
  for (const { field } of patterns ?? []) {
    if (field === null) {
      if (known !== undefined && Object.values(known.kinds).includes('command')) continue;
      return `a pattern for ${tool} names a field of its input: "${tool}(${known?.fields[0] ?? 'field'}=…)"`;
    }
    if (known === undefined || known.fields.includes(field)) continue;
    const hint = didYouMean(field, known.fields) || ` (known: ${known.fields.join(', ')})`;
    return `the input of ${tool} has no field named ${showValue(field)}${hint}`;
  }
  return null;
}

function definedOf<Key extends string>(values: Readonly<Partial<Record<Key, Verdict | undefined>>>) {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Record<Key, Verdict>>;
}
