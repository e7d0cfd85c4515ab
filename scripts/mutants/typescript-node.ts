/** Nodes of the syntax tree, and where they are. */
import type { Change } from './mutant.ts';

/** A node of the syntax tree (ESTree), with the fields that the rules read. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly operator?: string;
  readonly left?: Node;
  readonly right?: Node;
  readonly test?: Node | null;
  readonly argument?: Node | null;
  readonly expression?: Node;
  readonly callee?: Node;
  readonly object?: Node;
  readonly property?: Node;
  readonly computed?: boolean;
  readonly optional?: boolean;
  readonly prefix?: boolean;
  readonly value?: unknown;
  readonly directive?: string | null;
}

/** Where a node is: the source, and the node that holds it under `key`. */
export interface Place {
  readonly source: string;
  readonly parent: Node | null;
  readonly key: string;
}

/** The change that puts `replacement` in the place of a node. */
export function instead(node: Node, source: string, replacement: string, operator: string): Change {
  return { start: node.start, text: textOf(node, source), replacement, operator };
}

export function textOf(node: Node, source: string): string {
  return source.slice(node.start, node.end);
}
