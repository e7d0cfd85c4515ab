/** Finds where bash does arithmetic: a substitution in the value of a variable runs when an index or a number is evaluated. */
import type { ArrayValue, SyntaxNode, Word, WordPart } from 'unbash';
import { UNKNOWN } from '../text/wildcard.ts';
import { isOrdinaryVariable } from './variables.ts';
import { argumentText, wordText } from './words.ts';

/** What a line does; both together are unclear. */
export interface Evaluation {
  /** It evaluates the value of a variable. */
  reads?: true;
  /** It gives a variable a value that may hold an index: one with a bracket, or one that is only known later. */
  holds?: true;
}

/** Notes what the node does. Returns why it makes the line unclear by itself; null if it does not. */
export function evaluationOf(node: SyntaxNode, found: Evaluation): string | null {
  switch (node.type) {
    case 'ArithmeticWord':
      if (/[^\d\s]/.test(node.value)) found.reads = true;
      return null;
    case 'TestUnary':
      if (node.operator === '-v' || node.operator === '-R') found.reads = true;
      return null;
    case 'TestBinary':
      if (/^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)) found.reads = true;
      return null;
    case 'ParameterExpansion': {
      const { prefix, index, operation, parameter } = node;
      if (operation?.type === 'Unknown') return 'it has an expansion that cannot be read';
      if (operation?.type === 'Transform' && operation.operand.text !== 'Q') return 'it evaluates a value';
      if (operation?.type === 'Default' && operation.operator.endsWith('=') && !isOrdinaryVariable(parameter))
        return `it sets ${parameter}`;
      const isIndirect = prefix === '!' && operation?.type !== 'Names';
      const isIndexed = index !== undefined && !/^([@*]|\d+)$/.test(index.text);
      if (isIndexed || operation?.type === 'Slice' || (isIndirect && index === undefined)) found.reads = true;
      return null;
    }
    case 'Assignment':
      if (node.index !== undefined && !/^\d+$/.test(node.index.text)) found.reads = true;
      if (mayHold(node.value)) found.holds = true;
      return null;
    case 'For':
    case 'Select':
      if (node.type === 'Select' || node.wordlist?.some(mayHold) !== false) found.holds = true;
      return isOrdinaryVariable(node.name.value) ? null : `it sets ${node.name.value}`;
    case 'Command': {
      const name = node.name?.value ?? '';
      if (/^(\[|test)$/.test(name)) {
        const words = node.args.map(argumentText);
        if (words.some((word) => /^-[vR]$/.test(word) || word.includes(UNKNOWN))) found.reads = true;
        if (words.some((word) => word.includes('['))) found.holds = true;
      }
      if (/^(read|mapfile|readarray)$/.test(name)) found.holds = true;
      if (name === 'set' && node.args.some((word) => word.type === 'Word' && mayHold(word))) found.holds = true;
      return null;
    }
    default:
      return null;
  }
}

function mayHold(value: Word | ArrayValue): boolean {
  if (value.type === 'ArrayValue') return value.elements.some(mayHold);
  if (value.parts !== undefined && value.parts.every(isNumber)) return false;
  const text = wordText(value);
  return text.includes(UNKNOWN) || text.includes('[');
}

/** Digits, and what becomes some. */
function isNumber(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every(isNumber);
  if (part.type === 'Literal') return /^[\w.-]*$/.test(part.value);
  return part.type === 'ArithmeticExpansion' || (part.type === 'ParameterExpansion' && part.prefix === '#');
}
