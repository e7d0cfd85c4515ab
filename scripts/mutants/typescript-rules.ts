/** What is changed in TypeScript. Each rule says what it changes of one node. */
import type { Change } from './mutant.ts';
import { constantRule } from './typescript-constants.ts';
import { instead, type Node, type Place, textOf } from './typescript-node.ts';

type Rule = (node: Node, place: Place) => Change[];

export const RULES: readonly Rule[] = [
  operatorRule,
  sideRule,
  conditionRule,
  notRule,
  statementRule,
  returnRule,
  methodRule,
  optionalRule,
  constantRule,
];

const OTHER_OPERATOR: Readonly<Record<string, readonly [string, string]>> = {
  '<': ['<=', 'boundary'],
  '<=': ['<', 'boundary'],
  '>': ['>=', 'boundary'],
  '>=': ['>', 'boundary'],
  '===': ['!==', 'equality'],
  '!==': ['===', 'equality'],
  '&&': ['||', 'and/or'],
  '||': ['&&', 'and/or'],
  '+': ['-', 'arithmetic'],
  '-': ['+', 'arithmetic'],
  '*': ['/', 'arithmetic'],
  '/': ['*', 'arithmetic'],
  '%': ['*', 'arithmetic'],
};

function operatorRule({ type, operator, left, right }: Node, { source }: Place): Change[] {
  if ((type !== 'BinaryExpression' && type !== 'LogicalExpression') || !left || !right) return [];
  const [other, kind] = OTHER_OPERATOR[operator ?? ''] ?? [];
  if (other === undefined || kind === undefined) return [];
  if (operator === '+' && [left, right].some(isText)) return [];
  const start = source.indexOf(operator!, left.end);
  return [{ start, text: operator!, replacement: other, operator: kind }];
}

/** `+` joins these. */
function isText(node: Node): boolean {
  if (node.type === 'BinaryExpression' && node.operator === '+') return isText(node.left!) || isText(node.right!);
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

function sideRule({ type, operator, left, right, ...node }: Node, { source }: Place): Change[] {
  if (type !== 'LogicalExpression' || operator !== '??' || !left || !right) return [];
  return [left, right].map((side) => instead({ type, ...node }, source, textOf(side, source), 'side of ??'));
}

function conditionRule({ type, test }: Node, { source }: Place): Change[] {
  if (!test || test.type === 'Literal') return [];
  if (type === 'IfStatement' || type === 'ConditionalExpression')
    return ['true', 'false'].map((value) => instead(test, source, value, 'condition'));
  return type === 'WhileStatement' || type === 'ForStatement' ? [instead(test, source, 'false', 'condition')] : [];
}

function notRule({ type, operator, argument, ...node }: Node, { source }: Place): Change[] {
  if (type !== 'UnaryExpression' || operator !== '!' || !argument || argument.type === 'UnaryExpression') return [];
  return [instead({ type, ...node }, source, textOf(argument, source), 'not')];
}

/** Calls and assignments whose value nobody uses, and jumps. */
function statementRule(node: Node, { source }: Place): Change[] {
  const { type, expression, directive } = node;
  if (type === 'ThrowStatement' || type === 'BreakStatement' || type === 'ContinueStatement')
    return [instead(node, source, ';', 'removed statement')];
  if (type !== 'ExpressionStatement' || !expression || directive) return [];
  if (/^(await )?(super\(|[\w.#?]*\blog\??\.)/.test(textOf(expression, source))) return [];
  return [instead(node, source, ';', 'removed statement')];
}

function returnRule({ type, argument }: Node, { source }: Place): Change[] {
  if (type !== 'ReturnStatement' || !argument || argument.type === 'Literal') return [];
  const value = textOf(argument, source);
  return value === 'undefined' ? [] : [instead(argument, source, 'undefined as never', 'returned value')];
}

/** Methods that another one, or nothing, takes the place of. */
const OTHER_METHOD: Readonly<Record<string, string | null>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  ceil: 'floor',
  floor: 'ceil',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  flatMap: 'map',
  filter: null,
  slice: null,
  toSorted: null,
  toReversed: null,
  trim: null,
  trimEnd: null,
  trimStart: null,
};

function methodRule(node: Node, { source }: Place): Change[] {
  const { type, callee } = node;
  const property = callee?.property;
  if (type !== 'CallExpression' || callee?.type !== 'MemberExpression' || callee.computed || !property) return [];
  const name = textOf(property, source);
  if (!Object.hasOwn(OTHER_METHOD, name)) return [];
  const other = OTHER_METHOD[name];
  if (other) return [instead(property, source, other, 'method')];
  return [instead(node, source, textOf(callee.object!, source), 'method')];
}

function optionalRule({ type, optional, object }: Node, { source }: Place): Change[] {
  if (type !== 'MemberExpression' || !optional || !object) return [];
  const start = source.indexOf('?.', object.end);
  const isIndex = source[start + 2] === '[';
  return [{ start, text: '?.', replacement: isIndex ? '' : '.', operator: 'optional' }];
}
