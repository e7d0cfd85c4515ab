/** What a person has to know after a faculty was added: its model and key, where it works, and the next commands. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { asksModel, type Faculty } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import { facultyModels } from '../../daemon/models/faculty-models.ts';
import { remedyOf } from '../../daemon/models/provider-remedy.ts';
import type { Invocation } from '../../terminal/command/command.ts';
import { SHIPPED_FACULTIES } from '../../terminal/command/shipped.ts';
import { calledAs, shellWord } from '../../terminal/view/copied-command.ts';
import type { NextCommand } from '../../terminal/view/next-commands.ts';

/** Sentences about the faculties, as they are in `directory` now, and commands for those that were named. */
export async function afterAdding(
  { context, config }: Invocation,
  faculties: readonly Faculty[],
  directory: string,
  names: readonly string[],
): Promise<{ readonly says: readonly string[]; readonly next: readonly NextCommand[] }> {
  const settings = await config();
  const animus = calledAs(context.env);
  const isUsual = resolve(context.cwd, 'faculties') === directory;
  const where = isUsual ? '' : ` --faculties ${shellWord(relative(context.cwd, directory))}`;
  const next = [
    { command: `${animus} faculty check ${names.join(' ')}${where}`, does: 'check it, also after each change' },
    ...names.flatMap((name) => {
      const command = rehearsal(directory, name, relative(context.cwd, directory) || '.');
      return command === null
        ? []
        : [{ command: `${animus}${command}${where}`, does: 'rehearse it: a script in place of the model' }];
    }),
    { command: `${animus} serve${where}`, does: 'start a daemon; one that is running here loads it automatically' },
    ...names.map((name) => ({
      command: `${animus} work submit ${name} "…" --wait`,
      does: `give it work; ${name}.toml begins with what it expects`,
    })),
  ];
  const says = faculties.flatMap((faculty) => [
    modelSentence(faculty, settings).says,
    placeSentence(faculty, directory),
  ]);
  return { says: says.filter((each) => each !== null), next };
}

/** What follows `animus` in the command that each script of a shipped faculty begins with, for the faculties in `here`; null without a script. */
function rehearsal(directory: string, name: string, here: string): string | null {
  const script = join(directory, 'scripts', `${name}.toml`);
  if (!existsSync(script)) return null;
  const [, command = null] = /^# animus( faculty test .*)$/m.exec(readFileSync(script, 'utf8')) ?? [];
  return command?.replaceAll(' faculties/', ` ${shellWord(here)}/`) ?? null;
}

/** The model of a faculty, or null, and what it needs. */
export function modelSentence(
  faculty: Faculty,
  config: Config,
): { readonly model: string | null; readonly says: string } {
  const { name } = faculty;
  const [first] = asksModel(faculty.engage) ? facultyModels(faculty, config) : [];
  if (first === undefined) return { model: null, says: `${name} uses no model.` };
  const { written, settings } = first;
  const asks = `${name} uses ${written}; to change that, edit model in ${name}.toml (animus models lists others).`;
  const isMissing =
    settings !== null && settings.kind !== 'scripted' && settings.apiKeyEnv !== null && settings.apiKey === null;
  const key = isMissing && settings.credentials === null ? remedyOf({ kind: 'credentials' }, settings) : null;
  return { model: written, says: key === null ? asks : `${asks} It needs a key: ${key}, where the daemon runs.` };
}

/** Where it works: a directory of the project, its own copy of what came with it, or one that each focus gets. */
function placeSentence({ name, workspace, isolation }: Faculty, directory: string): string | null {
  if (isolation === 'worktree')
    return `${name} works in a git worktree of its own; repo in ${name}.toml names the repository.`;
  if (workspace === null) return null;
  const there = resolve(directory, relative(SHIPPED_FACULTIES, workspace));
  const whose = dirname(there) === directory ? `the copy of ${basename(there)} that came with it` : there;
  return `${name} works in ${whose}; to change that, edit workspace in ${name}.toml.`;
}
