/** Reads all refs of a repository in one call of git. */
import { type GitPlace, type GitWriter, runGit } from './git.ts';
import { refuseCut } from './repository-writes.ts';

/** The refs by name with their commits or tags, and the commit of HEAD; null: HEAD has no commit yet. */
export interface Refs {
  readonly head: string | null;
  readonly byName: ReadonlyMap<string, string>;
}

/** Errors: `worktree.failed`. */
export async function readRefs(place: GitPlace, git: GitWriter): Promise<Refs> {
  // Exits with 1 where there is none.
  const listed = await runGit(place, ['show-ref', '--head'], git);
  refuseCut(place, ['show-ref'], listed);
  const byName = new Map(parseRefs(listed.stdout));
  const head = byName.get('HEAD') ?? null;
  byName.delete('HEAD');
  return { head, byName };
}

/** Lines of the form `COMMIT NAME`. */
export function parseRefs(text: string): readonly (readonly [name: string, commit: string])[] {
  return linesOf(text).map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]);
}

/** What git has listed, one entry per line. */
export function linesOf(listed: string): readonly string[] {
  return listed.split('\n').filter((line) => line !== '');
}
