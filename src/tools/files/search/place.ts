/** Where a search looks. */
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { accessTo, type FileRule, isWithin } from '../../../process/file-rules.ts';
import type { Isolation } from '../../../process/process-host.ts';
import type { ToolContext } from '../../tool.ts';
import { mountOf, withMounts } from '../mounts.ts';
import { isRefusal, type Refusal, refusalOf, refuse } from '../refusal.ts';
import { isHidden, resolveInside, unfitReason } from '../workspace.ts';

/** A directory, or one file, and what a program that searches there may read. */
export interface SearchPlace {
  /** Absolute real path of a directory. */
  readonly directory: string;
  /** The only file that is searched, by its name in `directory`; null: all below it. */
  readonly file: string | null;
  /** What the model reads before a path below `directory`: '' or a path that ends in `/`. */
  readonly shownBefore: string;
  readonly isolation: Isolation;
  readonly fileRules: readonly FileRule[];
  /** Paths below `directory` that nobody may see, relative to it. */
  readonly hidden: readonly string[];
}

/** The place of a path that a model gave; null if nothing is there. A refusal is for the model. */
export async function searchPlace(path: string, context: ToolContext): Promise<SearchPlace | Refusal | null> {
  const bounds = await withMounts(context, [path]);
  const inside = await resolveInside(bounds, path);
  if (isRefusal(inside)) return inside;
  if (!inside.exists) return null;
  try {
    const stats = await lstat(inside.real);
    const unfit = stats.isDirectory() ? null : unfitReason(stats);
    if (unfit !== null) return refuse(`${inside.shown}: ${unfit}`);
    const directory = stats.isDirectory() ? inside.real : dirname(inside.real);
    const shown = stats.isDirectory() ? inside.shown : dirname(inside.shown);
    // Commands may not read the place where skills are kept, but file tools may: nobody else writes there.
    const isMounted = mountOf(bounds, inside.real) !== undefined;
    const fileRules = isMounted ? [] : context.fileRules;
    return {
      directory,
      file: stats.isDirectory() ? null : basename(inside.real),
      shownBefore: shown === '.' ? '' : `${shown}/`,
      isolation: isMounted ? 'none' : context.isolation,
      fileRules,
      hidden: hiddenBelow(directory, fileRules),
    };
  } catch (error) {
    return refusalOf(error, inside.shown);
  }
}

/** True for a path below the place that may be shown. The isolation hides the others, too, but not every isolation does. */
export function maySee({ directory, fileRules }: SearchPlace, below: string): boolean {
  return !isHidden(fileRules, join(directory, below));
}

/** Globs of ripgrep that keep it out of what is hidden. */
export function withoutHidden({ hidden }: SearchPlace): readonly string[] {
  return hidden.flatMap((path) => ['--glob', `!/${escapedGlob(path)}`]);
}

function hiddenBelow(directory: string, rules: readonly FileRule[]): readonly string[] {
  const paths = [...rules.filter(({ access }) => access === 'hidden').map(({ path }) => path), '/proc'];
  return paths
    .filter((path) => path !== directory && isWithin(directory, path) && hasNothingOpen(rules, path))
    .map((path) => relative(directory, path));
}

/** False for a directory with exceptions below it: ripgrep would not come to them. */
function hasNothingOpen(rules: readonly FileRule[], hidden: string): boolean {
  return !rules.some(({ path }) => path !== hidden && isWithin(hidden, path) && accessTo(rules, path) !== 'hidden');
}

/** A path as a glob of ripgrep that matches only it. */
function escapedGlob(path: string): string {
  return path.replace(/[\\*?[\]{}!]/g, '\\$&');
}
