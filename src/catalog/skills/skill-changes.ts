/** What a version of a skill changes, as patches. */
import { createTwoFilesPatch } from 'diff';
import type { SkillContent } from './skill.ts';

/** A file that was added, changed or removed. */
export interface SkillChange {
  readonly path: string;
  /** Unified; of binary files, their sizes. */
  readonly patch: string;
}

/** The files that differ, by path. */
export function skillChanges(before: readonly SkillContent[], after: readonly SkillContent[]): SkillChange[] {
  const paths = [...new Set([...before, ...after].map(({ path }) => path))].sort();
  return paths.flatMap((path) => {
    const [old, fresh] = [contentOf(before, path), contentOf(after, path)];
    return old !== null && fresh !== null && old.equals(fresh) ? [] : [{ path, patch: patchOf(path, old, fresh) }];
  });
}

function patchOf(path: string, old: Buffer | null, fresh: Buffer | null): string {
  const [from, to] = [old === null ? '/dev/null' : `a/${path}`, fresh === null ? '/dev/null' : `b/${path}`];
  if (old?.includes(0) || fresh?.includes(0))
    return `--- ${from}\n+++ ${to}\nbinary: ${sizeOf(old)} before, ${sizeOf(fresh)} now`;
  return createTwoFilesPatch(from, to, text(old), text(fresh)).replace(/^=+\n/, '').trimEnd();
}

function contentOf(files: readonly SkillContent[], path: string): Buffer | null {
  return files.find((file) => file.path === path)?.content ?? null;
}

function text(content: Buffer | null): string {
  return content?.toString('utf8') ?? '';
}

function sizeOf(content: Buffer | null): string {
  return `${content?.length ?? 0} bytes`;
}
