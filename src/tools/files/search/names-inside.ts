/** Drops names that somebody's link in place of a directory may have brought in while ripgrep ran. */
import { dirname, join } from 'node:path';
import type { Bounds } from '../mounts.ts';
import { isRefusal } from '../refusal.ts';
import { resolveInside } from '../workspace.ts';

/** Paths whose directories are where they seem to be. Names of files are not followed. */
export async function namesInside(
  directory: string,
  below: readonly string[],
  bounds: Bounds,
): Promise<readonly string[]> {
  const parents = [...new Set(below.map((path) => dirname(join(directory, path))))];
  const are = await Promise.all(parents.map((real) => isItself(real, bounds)));
  const sure = new Set(parents.filter((_, index) => are[index]));
  return below.filter((path) => sure.has(dirname(join(directory, path))));
}

/** True if the path goes through no link, and is inside. */
export async function isItself(real: string, bounds: Bounds): Promise<boolean> {
  const inside = await resolveInside(bounds, real);
  return !isRefusal(inside) && inside.exists && inside.real === real;
}
