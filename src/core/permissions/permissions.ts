/** The permissions of a faculty, and the verdict about a call. */
import { rememberedOf } from '../text/remembered.ts';
import { type CallFields, type CommandLines, commandField, type FieldFit, fieldFit } from './field-fit.ts';
import type { FieldPattern, RuleKey } from './rule-key.ts';
import { type FieldKind, type RiskClass, stricter, type Verdict } from './verdict.ts';

/** `[faculty.permissions]`: plain data. */
export interface Permissions {
  /** In the order written. */
  readonly rules: readonly PermissionRule[];
  /** Defaults by risk class, where the faculty sets them. */
  readonly risk: Readonly<Partial<Record<RiskClass, Verdict>>>;
  /** How long a person has to decide about a call; then it is denied. */
  readonly approvalDeadlineSeconds: number;
  /** True: those who submitted the work or wrote to it approve no call of it. Default false. */
  readonly fourEyes?: boolean;
}

/** One rule. */
export interface PermissionRule extends RuleKey {
  /** As it is written. */
  readonly key: string;
  readonly verdict: Verdict;
  /** `file:line`. */
  readonly at: string;
}

/** A tool as rules see it. */
export interface PermittedTool {
  readonly name: string;
  readonly risk: RiskClass;
  /** `engine`: every faculty has it. `faculty`: the faculty lists it. `server`: from an MCP server. */
  readonly origin: ToolOrigin;
  readonly kinds: Readonly<Record<string, FieldKind>>;
}
export type ToolOrigin = 'engine' | 'faculty' | 'server';

/** A call whose permission is asked for. */
export interface PermittedCall extends CallFields {
  readonly tool: PermittedTool;
  /** True if commands are not isolated from the host. */
  readonly unprotected: boolean;
}

/** The verdict, and what it comes from. */
export interface Permission {
  readonly verdict: Verdict;
  /** The key of the rule; `default: …` where no rule decides. */
  readonly rule: string;
  /** `file:line` of the rule; null for a default. */
  readonly at: string | null;
  /** Why the rule may apply, where that is not certain; null otherwise. */
  readonly unclear: string | null;
}

/**
 * The verdict about a call with its final input. The most specific level with a rule that fits decides: patterns, the tool, the beginning of its name,
 * `*`, the default of its risk class. Within a level the strictest rule counts. A rule that asks or forbids, and of which nobody
 * can say whether it fits, asks; unless that is only what a program runs by itself, and an `auto` rule names this program.
 */
export function permissionOf(permissions: Permissions, call: PermittedCall): Permission {
  const { name, origin, risk } = call.tool;
  const { named, beginnings } = groupsOf(permissions.rules);
  return (
    byPattern(patternRules(permissions, name), call) ??
    level(named.get(name)) ??
    level(beginnings.filter(({ tool }) => name.startsWith(tool.slice(0, -1)))) ??
    // Without the engine's own tools no faculty can work, so only rules that name them count.
    (origin === 'engine' && (risk === 'read' || risk === 'write')
      ? { verdict: 'auto', rule: 'default: a tool of the engine', at: null, unclear: null }
      : (level(named.get('*')) ?? byRisk(permissions, call)))
  );
}

function level(rules: readonly PermissionRule[] = []) {
  return strictest(rules.filter(({ patterns }) => patterns === null).map(decided));
}

/** The rules about a tool that compare its input. */
export function patternRules({ rules }: Permissions, tool: string): readonly PermissionRule[] {
  return (
    groupsOf(rules)
      .named.get(tool)
      ?.filter(({ patterns }) => patterns !== null) ?? []
  );
}

/** By what they name, and those that name the beginning of a name: the rules about other tools cost a call nothing. */
const groupsOf = rememberedOf((rules: readonly PermissionRule[]) => ({
  named: Map.groupBy(rules, ({ tool }) => tool),
  beginnings: rules.filter(({ tool }) => tool.length > 1 && tool.endsWith('*')),
}));

function byPattern(rules: readonly PermissionRule[], call: PermittedCall): Permission | null {
  const lines: CommandLines = new Map();
  const fits = rules.map((rule) => ({ rule, ...ruleFit(rule, call, lines) }));
  // The operator has allowed this program, and with it what it runs by itself.
  const isNamed = fits.some(({ rule, fit }) => fit === 'yes' && rule.verdict === 'auto' && namesProgram(rule, call));
  const found = fits.flatMap(({ rule, fit, unclear }): Permission[] => {
    if (fit === 'yes') return [decided(rule)];
    if (fit === 'no' || rule.verdict === 'auto' || (fit === 'more' && isNamed)) return [];
    return [{ ...decided(rule), verdict: 'ask', unclear: unclear ?? 'a part of the input is only known when it runs' }];
  });
  return strictest(found);
}

/** True if the rule is about a program by its name, and not about any with such arguments. */
function namesProgram({ patterns }: PermissionRule, { tool }: PermittedCall): boolean {
  const command = commandField(tool.kinds);
  return (patterns ?? []).some(({ field, pattern }) => (field ?? command) === command && !pattern.startsWith('*'));
}

/** All patterns of a rule must fit. */
function ruleFit({ patterns, verdict }: PermissionRule, call: PermittedCall, lines: CommandLines): FieldFit {
  let result: FieldFit = { fit: 'yes', unclear: null };
  for (const pattern of patternsOf(patterns ?? [], verdict, call)) {
    const one = fieldFit(pattern, verdict === 'auto', call, call.tool.kinds, lines);
    if (one.fit === 'no') return one;
    if (one.fit === 'maybe' || (one.fit === 'more' && result.fit === 'yes')) result = one;
  }
  return result;
}

/** A star allows any one plain command, but asks about, or forbids, any command line. */
function patternsOf(
  patterns: readonly FieldPattern[],
  verdict: Verdict,
  { tool }: PermittedCall,
): readonly FieldPattern[] {
  const isAnyCommand = patterns.length === 0 && verdict === 'auto' && commandField(tool.kinds) !== null;
  return isAnyCommand ? [{ field: null, pattern: '*' }] : patterns;
}

function byRisk({ risk: defaults }: Permissions, { tool, unprotected }: PermittedCall): Permission {
  const { risk, origin } = tool;
  const set = defaults[risk];
  const rule = set === undefined ? `default: risk ${risk}` : `risk.${risk}`;
  const result = (verdict: Verdict, why = rule): Permission => ({ verdict, rule: why, at: null, unclear: null });
  // What a server says about its tools grants nothing, and neither does the class that they are in.
  if (origin === 'server')
    return result(stricter(set ?? 'ask', 'ask'), set === 'forbid' ? rule : 'default: a tool of a server');
  if (set !== undefined) return result(set);
  // The engine's own tool for code runs it in a container.
  if (risk === 'execute' && unprotected && origin !== 'engine')
    return result('ask', 'default: commands without isolation');
  return result(risk === 'spend' ? 'ask' : 'auto');
}

function decided({ verdict, key, at }: PermissionRule): Permission {
  return { verdict, rule: key, at, unclear: null };
}

/** The strictest; of equal ones, a certain one, then the first. */
function strictest(found: readonly Permission[]): Permission | null {
  const certain = (one: Permission) => (one.unclear === null ? 1 : 0);
  return found.reduce<Permission | null>((best, one) => {
    if (best === null) return one;
    if (one.verdict !== best.verdict) return stricter(one.verdict, best.verdict) === one.verdict ? one : best;
    return certain(one) > certain(best) ? one : best;
  }, null);
}

/**
 * True if a grant's pattern, written like the key of a rule, allows this call: the tool itself, or the tool with patterns that the whole call fits.
 * False for a pattern that cannot be read, and for one that names no tool.
 */
export function grantMatches(pattern: RuleKey | { readonly problem: string }, call: PermittedCall): boolean {
  if ('problem' in pattern || pattern.tool !== call.tool.name) return false;
  const rule: PermissionRule = { ...pattern, key: '', verdict: 'auto', at: '' };
  return ruleFit(rule, call, new Map()).fit === 'yes';
}
