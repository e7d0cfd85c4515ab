/** The gate of a faculty's permissions: lets a call run, asks a person, or refuses it. */
import { hash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  grantMatches,
  type Permission,
  type Permissions,
  type PermittedCall,
  patternRules,
  permissionOf,
} from '../../core/permissions/permissions.ts';
import { parseRuleKey } from '../../core/permissions/rule-key.ts';
import { count } from '../../telemetry/metrics.ts';
import { permittedTool } from '../../tools/registry.ts';
import { forbidden } from '../prompt/permissions.ts';
import type { CallGate, GatedCall, GateVerdict } from './gate.ts';

/** The name of the gate, in the details of calls that it denied. */
export const PERMISSION_GATE = 'permissions';

/** Judges every call of a focus by its final input. It only looks at rules, and at where paths lead. */
export function permissionGate(permissions: Permissions): CallGate {
  // A call is judged before its answer is recorded and again before it runs. The verdict has to be the same, also if a link was changed
  // meanwhile: calls that only read have started by then.
  const judged = new Map<string, GateVerdict>();
  let turn = 0;
  return {
    name: PERMISSION_GATE,
    when: () => 'now',
    judge(call) {
      if (call.turn !== turn) judged.clear();
      turn = call.turn;
      const key = keyOf(call);
      const known = judged.get(key);
      if (known) return known;
      const permission = permissionOf(permissions, permittedCall(call, hasPatterns(permissions, call.tool.name)));
      if (!call.also) count('work.permission.verdicts', 1, { risk: call.tool.risk, verdict: permission.verdict });
      const verdict = verdictOf(permission, permissions);
      judged.set(key, verdict);
      return verdict;
    },
  };
}

/** Short, because code may make thousands of calls in a turn, with inputs of any size. */
function keyOf({ callId, input, also }: GatedCall): string {
  const text = JSON.stringify([callId, input, also]);
  return text.length <= 1000 ? text : hash('sha256', text);
}

/** Links are only followed where a rule compares paths. */
function hasPatterns(permissions: Permissions, name: string): boolean {
  return patternRules(permissions, name).some(({ patterns }) => patterns!.length > 0);
}

function verdictOf(permission: Permission, { approvalDeadlineSeconds }: Permissions): GateVerdict {
  const { verdict, rule, at } = permission;
  switch (verdict) {
    case 'auto':
      return { kind: 'pass' };
    case 'ask':
      return { kind: 'ask', reason: reasonOf(permission), deadlineSeconds: approvalDeadlineSeconds };
    case 'forbid':
      return { kind: 'deny', reason: forbidden(rule), details: { rule, at } };
  }
}

/** For people, and without the place of the file: the model may see it where nobody can be asked. */
function reasonOf({ rule, unclear }: Permission): string {
  const which = rule.startsWith('default: ') ? rule : `rule ${JSON.stringify(rule)}`;
  return unclear === null ? which : `${which} may apply: ${unclear}`;
}

/** True if a grant with this pattern allows the call. The pattern is written like the key of a rule, or like the part in its parentheses. */
export function grantCovers(pattern: string, call: GatedCall): boolean {
  const { name } = call.tool;
  const key = pattern.startsWith(`${name}(`) ? pattern : `${name}(${pattern})`;
  return grantMatches(parseRuleKey(key), permittedCall(call, true));
}

function permittedCall({ tool, input, also, scope }: GatedCall, follow: boolean): PermittedCall {
  const permitted = permittedTool(tool);
  const values = tool.comparedValues?.(input);
  const unprotected = scope.isolation === 'none' && scope.container === undefined;
  const call = { tool: permitted, input, workspace: scope.workspace, unprotected, ...(also && { also }) };
  if (permitted.origin === 'server') return { ...call, workspace: null };
  if (!follow) return call;
  const paths = Object.entries(permitted.kinds).flatMap(([field, kind]) => {
    if (kind !== 'path' && kind !== 'tree') return [];
    const given = (values?.[field] ?? [(input as Readonly<Record<string, unknown>>)[field]]) as readonly unknown[];
    return given.filter((path) => typeof path === 'string');
  });
  const realPaths = new Map(paths.map((path) => [path, realPathOf(scope.workspace, path)]));
  return { ...call, ...(values && { values }), realPaths };
}

/** Where the path leads; what does not exist yet is taken as it is written. The tools look again, and refuse what leaves the workspace. */
function realPathOf(workspace: string, path: string): string {
  if (path.length > MAX_PATH || path.includes('\0')) return path;
  const missing: string[] = [];
  for (let existing = resolve(workspace, path); ; existing = dirname(existing)) {
    try {
      return join(realpathSync(existing), ...missing);
    } catch {
      // Missing, or not to be read: the directory above it counts.
      if (existing === dirname(existing)) return path;
      missing.unshift(basename(existing));
    }
  }
}

const MAX_PATH = 4096;
