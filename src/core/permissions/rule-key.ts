/** The keys of `[faculty.permissions]`: which calls a rule is about. */

/** Which inputs of a tool a rule is about. */
export interface FieldPattern {
  /** Null: the field with the command line, for tools that have one. */
  readonly field: string | null;
  readonly pattern: string;
}

/** A key, taken apart. */
export interface RuleKey {
  /** The name of a tool, the beginning of names with a star (`mcp_github_*`), or `*`. */
  readonly tool: string;
  /** Null: without parentheses. Empty: `tool(*)`, any input. All of them must fit. */
  readonly patterns: readonly FieldPattern[] | null;
}

const KEY = /^(\*|[A-Za-z0-9_-]+\*?)(?:\((.*)\))?$/s;

/** Parses `tool`, `tool(*)`, `tool(pattern)`, `tool(field=pattern, field=pattern)`, `beginning_*` or `*`; a problem says what is wrong. */
export function parseRuleKey(key: string): RuleKey | { readonly problem: string } {
  const [, tool, inside] = KEY.exec(key) ?? [];
  if (tool === undefined) return { problem: 'expected a tool, tool(pattern), tool(field=pattern) or "*"' };
  if (inside === undefined) return { tool, patterns: null };
  if (tool.endsWith('*')) return { problem: 'a pattern needs the name of one tool before it' };
  if (inside === '*') return { tool, patterns: [] };
  if (inside === '') return { problem: `the parentheses are empty; write ${tool} for every call` };
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(inside)) return { problem: 'a pattern has no line ends or control characters' };
  return { tool, patterns: FIELD.test(inside) ? fieldPatterns(inside) : [{ field: null, pattern: inside }] };
}

const FIELD = /^([A-Za-z_][A-Za-z0-9_]*)=/;

/** Splits before each `, name=`. */
function fieldPatterns(text: string): readonly FieldPattern[] {
  return text.split(/,\s*(?=[A-Za-z_][A-Za-z0-9_]*=)/).map((part) => {
    const [written = '', field = ''] = FIELD.exec(part) ?? [];
    return { field, pattern: part.slice(written.length) };
  });
}
