/** The mutants of a TypeScript file. */
import { parseSync } from 'oxc-parser';
import type { Change } from './mutant.ts';
import type { Node, Place } from './typescript-node.ts';
import { RULES } from './typescript-rules.ts';

/** All changes of the rules. Types, imports and log calls are left alone. Errors: the source has a syntax error. */
export function typeScriptChanges(source: string): Change[] {
  const changes: Change[] = [];
  visit(parsed(source), { source, parent: null, key: '' }, changes);
  return changes;
}

export function isTypeScript(source: string): boolean {
  return parseSync('source.ts', source).errors.length === 0;
}

function parsed(source: string): Node {
  const { program, errors } = parseSync('source.ts', source);
  if (errors.length > 0) throw new Error(errors[0]!.message);
  return program;
}

function visit(node: Node, place: Place, changes: Change[]): void {
  if (isLeftAlone(node, place)) return;
  for (const rule of RULES) changes.push(...rule(node, place));
  for (const [key, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) visit(child, { ...place, parent: node, key }, changes);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** `value as T` and `value!` are values; other nodes of TypeScript's own are types. */
const VALUES = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSParameterProperty']);

function isLeftAlone(node: Node, { source }: Place): boolean {
  if (node.type.startsWith('TS')) return !VALUES.has(node.type);
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return true;
  if (node.type !== 'CallExpression') return false;
  const callee = source.slice(node.callee!.start, node.callee!.end);
  return /(^|\.)log\??\.(debug|info|warn|error)$|\.describe$/.test(callee);
}
