/** Directories outside the workspace that file tools see as folders of it: the files of active skills. */
import { relative, resolve } from 'node:path';
import { type FileRule, isWithin } from '../../process/file-rules.ts';
import type { FileMount, ToolContext } from '../tool.ts';

/** The limits of file tools. The context of a call has them. */
export interface Bounds {
  /** Absolute real path. */
  readonly workspace: string;
  /** Paths that tools may not access, wherever the workspace is. */
  readonly fileRules: readonly FileRule[];
  /** Directories elsewhere that are seen as folders of the workspace, in front of its own; default none. */
  readonly mounts?: readonly FileMount[];
}

/** The context of a call with the mounts that these paths, as the model gave them, lead to. */
export async function withMounts(
  context: ToolContext,
  paths: readonly string[],
): Promise<ToolContext & Pick<Bounds, 'mounts'>> {
  const mounts = (await context.skills?.mountsFor(paths)) ?? [];
  return mounts.length === 0 ? context : { ...context, mounts };
}

/** The absolute path of what a model names, before links are followed. A mount stands in front of what the workspace has there. */
export function placeOf({ workspace, mounts = [] }: Bounds, path: string): string {
  const absolute = resolve(workspace, path);
  for (const { at, directory } of mounts) {
    const folder = resolve(workspace, at);
    if (isWithin(folder, absolute)) return resolve(directory, relative(folder, absolute));
  }
  return absolute;
}

/** The mount that a real path is in. */
export function mountOf({ mounts = [] }: Pick<Bounds, 'mounts'>, real: string): FileMount | undefined {
  return mounts.find(({ directory }) => isWithin(directory, real));
}

/** A real path as the model sees it: relative to the workspace. */
export function shownPath(bounds: Bounds, real: string): string {
  const mount = mountOf(bounds, real);
  if (mount === undefined) return relative(bounds.workspace, real) || '.';
  const inside = relative(mount.directory, real);
  return inside === '' ? mount.at : `${mount.at}/${inside}`;
}
