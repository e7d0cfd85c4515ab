/** Restricts which files of this host a focus can access, in addition to file modes. */
import { dirname, sep } from 'node:path';

/**
 * `hidden`: can be neither read nor written, and a directory appears empty. `read`: cannot be written, moved or removed.
 * `all`: no restriction; it exempts a path below a restricted one.
 */
export type FileAccess = 'hidden' | 'read' | 'all';

/** A path and everything below it. */
export interface FileRule {
  /** Absolute real path. */
  readonly path: string;
  readonly access: FileAccess;
}

/** If several rules name the same path, the strictest one applies. */
const STRICTNESS: Readonly<Record<FileAccess, number>> = { hidden: 2, read: 1, all: 0 };

/** Returns the access to a real path: that of the deepest rule that contains it, or `all` if no rule does. */
export function accessTo(rules: readonly FileRule[], real: string): FileAccess {
  return deepest(rules, real)?.access ?? 'all';
}

/** Returns one rule per path, without rules that have no effect. Parents come before the paths below them. */
export function effectiveRules(rules: readonly FileRule[]): readonly FileRule[] {
  const byPath = new Map<string, FileRule>();
  for (const rule of rules) {
    const known = byPath.get(rule.path);
    if (!known || STRICTNESS[rule.access] > STRICTNESS[known.access]) byPath.set(rule.path, rule);
  }
  const kept = new Map<string, FileRule>();
  for (const rule of [...byPath.values()].toSorted((a, b) => depthOf(a.path) - depthOf(b.path))) {
    if ((nearest(kept, rule.path)?.access ?? 'all') !== rule.access) kept.set(rule.path, rule);
  }
  return [...kept.values()];
}

/** The rule of the path itself, or of the nearest directory above it. A host may have thousands of rules: they are not compared with each other. */
function nearest(rules: ReadonlyMap<string, FileRule>, path: string): FileRule | undefined {
  const found = rules.get(path);
  return found !== undefined || path === dirname(path) ? found : nearest(rules, dirname(path));
}

/** True for the path itself and everything below it. */
export function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The number of path components below the root. */
export function depthOf(path: string): number {
  return path.split(sep).filter((name) => name !== '').length;
}

function deepest(rules: readonly FileRule[], real: string): FileRule | null {
  let found: FileRule | null = null;
  for (const rule of rules) {
    if (isWithin(rule.path, real) && (!found || isStronger(rule, found))) found = rule;
  }
  return found;
}

function isStronger(rule: FileRule, than: FileRule): boolean {
  const deeper = depthOf(rule.path) - depthOf(than.path);
  return deeper > 0 || (deeper === 0 && STRICTNESS[rule.access] > STRICTNESS[than.access]);
}
