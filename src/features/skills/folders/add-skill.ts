/** `animus skill add`: copies skills from a directory or a git repository. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadSkills } from '../../../catalog/skills/load-skills.ts';
import { placeSkill } from '../../../catalog/skills/place-skill.ts';
import { readSkillFiles } from '../../../catalog/skills/read-skill-files.ts';
import type { Skill, SkillLibrary } from '../../../catalog/skills/skill.ts';
import { AnimusError, usageError } from '../../../core/errors/errors.ts';
import { interruption } from '../../../core/errors/interruption.ts';
import { didYouMean } from '../../../core/errors/suggest.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { skillsDirectories } from '../../../terminal/command/skills-directories.ts';
import { cloneSkills, gitSource } from './git-source.ts';
import type { SkillOptions } from './list-skills.ts';

interface AddOptions extends SkillOptions {
  readonly all?: boolean;
  readonly ref?: string;
  readonly force?: boolean;
}

interface Added {
  readonly skill: Skill;
  readonly directory: string;
}

/** Checks all chosen skills, then copies them one by one. Errors: `skill.*`; `interrupted`, and nothing half-written stays. */
export async function addSkill(
  invocation: Invocation,
  options: AddOptions,
  source: string,
  names: readonly string[],
): Promise<number> {
  const { output } = invocation;
  const [root = ''] = await skillsDirectories(invocation, options.skills);
  await using cleanup = new AsyncDisposableStack();
  const { from, commit } = await openSource(invocation, options, source, cleanup);
  const library = loadSkills([from], { required: new Set([from]) });
  const chosen = choose(library, source, names, options.all === true);
  const added = await copyAll(invocation, options, root, chosen);
  const remarks = library.problems.filter(({ skill }) => chosen.some(({ name }) => name === skill));
  output.document({
    added: added.map(({ skill, directory }) => ({ name: skill.name, directory, content_hash: skill.contentHash })),
    commit,
    remarks,
  });
  for (const { skill, directory } of added) output.line(`added ${skill.name} to ${directory}`);
  for (const { what, skill } of remarks) output.block(`remark  ${skill}: ${what}`);
  if (added.some(({ skill }) => skill.files.some(({ path }) => path.startsWith('scripts/'))))
    output.note('it contains scripts, which agents may run in the sandbox; read them before work uses the skill');
  return 0;
}

/** The directory that contains the skills: the given one, or a clone that is removed at the end. */
async function openSource(
  { context, output }: Invocation,
  { ref }: AddOptions,
  source: string,
  cleanup: AsyncDisposableStack,
): Promise<{ from: string; commit: string | null }> {
  const url = gitSource(source);
  if (url === null) {
    if (ref !== undefined) throw usageError('--ref can only be used with a git repository');
    return { from: resolve(context.cwd, source), commit: null };
  }
  const clone = await mkdtemp(join(tmpdir(), 'animus-skill-'));
  cleanup.defer(() => rm(clone, { recursive: true, force: true }));
  // A repository that is one skill has its name.
  const from = join(clone, /([\w-]+)(?:\.git)?\/?$/.exec(source)?.[1] ?? 'repository');
  output.progress(`cloning ${source}`);
  const commit = await cloneSkills(url, ref, from, context.env, context.signals.drain);
  output.progress(null);
  return { from, commit };
}

function choose(library: SkillLibrary, source: string, names: readonly string[], isAll: boolean): Skill[] {
  const there = [...library.skills.values()];
  // A folder whose name cannot be that of a skill may be the one that was meant, unless all that were named are there.
  const isMissing = names.length === 0 || names.some((name) => !library.skills.has(name));
  const concerns = (skill: string | null) => (skill === null ? isMissing : names.length === 0 || names.includes(skill));
  const broken = library.problems.filter(({ level, skill }) => level === 'error' && concerns(skill));
  if (broken.length > 0 && (names.length > 0 || isAll || there.length === 0)) {
    const problems = broken.map(({ message }) => `  ${message}`).join('\n');
    throw new AnimusError('skill.invalid', { count: broken.length, problems });
  }
  const list = there
    .slice(0, 50)
    .map(({ name }) => name)
    .join(', ');
  if (names.length > 0) {
    return names.map((name) => {
      const hint = didYouMean(name, library.skills.keys());
      return (
        library.skills.get(name) ?? fail(source, `contains no skill named ${name}${hint}; it has: ${list || 'none'}`)
      );
    });
  }
  if (there.length === 0) fail(source, 'contains no skill: no folder in it has a SKILL.md');
  if (there.length > 1 && !isAll)
    fail(source, `contains ${there.length} skills; name those to add, or use --all: ${list}`);
  return there;
}

function fail(source: string, detail: string): never {
  throw new AnimusError('skill.source', { source, detail });
}

/** Reads all before it writes the first. A later one that cannot be written leaves the earlier ones, which are complete. */
async function copyAll(
  { context }: Invocation,
  { force }: AddOptions,
  root: string,
  chosen: readonly Skill[],
): Promise<Added[]> {
  const signal = context.signals.drain;
  const read = chosen.map((skill) => ({ skill, files: readSkillFiles(skill) }));
  const added: Added[] = [];
  for (const { skill, files } of read) {
    try {
      const directory = await placeSkill(root, skill.name, files, { replace: force === true, signal });
      added.push({ skill, directory });
    } catch (error) {
      throw signal.aborted ? interruption() : error;
    }
  }
  return added;
}
