/** `animus faculty add`: copies faculties that come with animus into a project, or lists them. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { loadSkills } from '../../catalog/skills/load-skills.ts';
import { placeSkill } from '../../catalog/skills/place-skill.ts';
import { readSkillFiles } from '../../catalog/skills/read-skill-files.ts';
import { AnimusError, usageError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { loadRunnableFaculties } from '../../daemon/reload/load-faculties.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { SHIPPED_FACULTIES, SHIPPED_SKILLS } from '../../terminal/command/shipped.ts';
import { calledAs } from '../../terminal/view/copied-command.ts';
import { showNext } from '../../terminal/view/next-commands.ts';
import { styled } from '../../terminal/view/output.ts';
import { afterAdding, modelSentence } from './after-adding.ts';
import { neededFiles } from './needed-files.ts';
import { placeFiles } from './place-files.ts';

interface AddOptions extends CommonOptions {
  readonly list?: boolean;
  readonly force?: boolean;
  readonly faculties?: string;
}

export async function addFaculties(
  invocation: Invocation,
  options: AddOptions,
  names: readonly string[],
): Promise<number> {
  const { faculties: shipped } = await loadRunnableFaculties(SHIPPED_FACULTIES, await invocation.config());
  const directory = await targetDirectory(invocation, options.faculties);
  if (names.length === 0 || options.list === true) return listShipped(invocation, shipped, directory);
  refuseOwnDirectory(directory);
  const chosen = choose(shipped, names, directory);
  const paths = new Set(chosen.flatMap((faculty) => neededFiles(SHIPPED_FACULTIES, faculty)));
  const files = placeFiles(SHIPPED_FACULTIES, directory, [...paths], options.force === true);
  const skills = await addSkills(invocation, chosen, directory);
  const { output } = invocation;
  const { next, says } = await afterAdding(invocation, chosen, directory, names);
  const commands = next.map(({ command }) => command);
  output.document({ directory, faculties: chosen.map(({ name }) => name), files, skills, next: commands });
  const shown = (path: string) => shortPath(path, invocation.context.cwd);
  for (const { path, result } of files)
    output.line(styled(result.padEnd(11), result === 'unchanged' ? 'dim' : 'green'), shown(join(directory, path)));
  for (const skill of skills) output.line(styled('written'.padEnd(11), 'green'), shown(skill.directory));
  output.line();
  for (const sentence of says) output.block(sentence);
  showNext(output, next);
  return 0;
}

/** Relative to the directory of the command, if it is below that. */
function shortPath(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside.startsWith('..') ? path : inside;
}

/** The directory that a daemon would read here; where there is none, `./faculties`, which is made. */
async function targetDirectory({ context, reach }: Invocation, option: string | undefined): Promise<string> {
  const here = resolve(context.cwd, option ?? 'faculties');
  if (option !== undefined || existsSync(here)) return here;
  const ofHome = join((await reach()).home, 'faculties');
  return existsSync(ofHome) ? ofHome : here;
}

function refuseOwnDirectory(directory: string): void {
  if (!existsSync(directory) || realpathSync(directory) !== realpathSync(SHIPPED_FACULTIES)) return;
  const detail = `${directory} contains the faculties of animus itself; run this in your project, or name another directory with --faculties`;
  throw usageError(detail);
}

/** Those that were named, and the faculties that they may spawn, unless the directory has one of that name. */
function choose(shipped: ReadonlyMap<string, Faculty>, names: readonly string[], directory: string): Faculty[] {
  const chosen = new Map<string, Faculty>();
  const add = (name: string) => {
    const faculty = shipped.get(name);
    if (faculty === undefined) {
      const hint =
        didYouMean(name, shipped.keys()) || `; those that come with animus: ${[...shipped.keys()].join(', ')}`;
      throw new AnimusError('faculty.unknown', { name, hint });
    }
    if (chosen.has(name)) return;
    chosen.set(name, faculty);
    for (const child of faculty.children?.faculties ?? [])
      if (shipped.has(child) && !existsSync(join(directory, `${child}.toml`))) add(child);
  };
  for (const name of names) add(name);
  return [...chosen.values()];
}

/** The skills that the faculties name, where the project has none of that name. */
async function addSkills({ context, config }: Invocation, chosen: readonly Faculty[], directory: string) {
  const wanted = new Set(chosen.flatMap(({ skills }) => skills?.offered ?? []));
  const { home } = await config();
  const ofHome = join(home, 'skills');
  const here = join(dirname(directory), 'skills');
  const root = !existsSync(here) && existsSync(ofHome) ? ofHome : here;
  const added: { readonly name: string; readonly directory: string }[] = [];
  for (const skill of loadSkills([SHIPPED_SKILLS]).skills.values()) {
    if (!wanted.has(skill.name) || existsSync(join(root, skill.name))) continue;
    const placed = await placeSkill(root, skill.name, readSkillFiles(skill), { signal: context.signals.drain });
    added.push({ name: skill.name, directory: placed });
  }
  return added;
}

async function listShipped(
  { output, config, context }: Invocation,
  shipped: ReadonlyMap<string, Faculty>,
  directory: string,
): Promise<number> {
  const settings = await config();
  const rows = [...shipped.values()].map((faculty) => ({
    name: faculty.name,
    description: faculty.description,
    model: modelSentence(faculty, settings).model,
    added: existsSync(join(directory, `${faculty.name}.toml`)),
  }));
  output.document({ directory, faculties: rows });
  output.table(
    [{ title: 'NAME' }, { title: 'MODEL', shrink: true }, { title: 'DESCRIPTION', shrink: true }],
    rows.map(({ name, model, description, added }) => [
      styled(name, 'bold'),
      model ?? '(none)',
      added ? `${description} (added)` : description,
    ]),
  );
  output.note(`copy one into ${shortPath(directory, context.cwd)} with: ${calledAs(context.env)} faculty add NAME`);
  return 0;
}
