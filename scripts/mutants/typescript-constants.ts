/** Changed numbers, words and truth values of TypeScript. */

import { changedNumber, isWord, MUTANT_WORD } from './constants.ts';
import type { Change } from './mutant.ts';
import { instead, type Node, type Place } from './typescript-node.ts';

export function constantRule(node: Node, { source, parent, key }: Place): Change[] {
  if (node.type !== 'Literal' || isName(parent, key)) return [];
  const { value } = node;
  if (typeof value === 'boolean') return [instead(node, source, String(!value), 'constant')];
  if (typeof value === 'number') {
    const changed = changedNumber(value);
    return changed === null ? [] : [instead(node, source, changed, 'constant')];
  }
  return typeof value === 'string' && isWord(value) ? [instead(node, source, `'${MUTANT_WORD}'`, 'constant')] : [];
}

/** A key, the source of an import, an element of a type: not a value. */
function isName(parent: Node | null, key: string): boolean {
  if (key === 'key' || key === 'source') return true;
  return parent?.type === 'ImportExpression' || parent?.type === 'ExpressionStatement';
}
