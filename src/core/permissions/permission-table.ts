/** What a faculty may do, for people: a row per tool, with the rules about its input. */
import { type Permissions, type PermittedTool, permissionOf } from './permissions.ts';
import type { RiskClass, Verdict } from './verdict.ts';

/** A tool, and what happens to a call of it. */
export interface PermissionRow {
  readonly tool: string;
  readonly risk: RiskClass;
  /** Where no rule about the input decides. */
  readonly verdict: Verdict;
  /** The key of the rule, or a default. */
  readonly rule: string;
  /** `file:line`; null for a default. */
  readonly at: string | null;
  /** Rules about the input, in the order written; the strictest that fits decides. */
  readonly patterns: readonly { readonly rule: string; readonly verdict: Verdict; readonly at: string }[];
}

/** A row per tool, in the order given. `unprotected`: commands are not isolated. */
export function permissionTable(
  permissions: Permissions,
  tools: readonly PermittedTool[],
  unprotected: boolean,
): readonly PermissionRow[] {
  const plain = { ...permissions, rules: permissions.rules.filter(({ patterns }) => patterns === null) };
  return tools.map((tool) => {
    const { verdict, rule, at } = permissionOf(plain, { tool, input: {}, workspace: null, unprotected });
    const patterns = permissions.rules
      .filter((one) => one.tool === tool.name && one.patterns !== null)
      .map((one) => ({ rule: one.key, verdict: one.verdict, at: one.at }));
    return { tool: tool.name, risk: tool.risk, verdict, rule, at, patterns };
  });
}
