/** `animus faculty show`: the effective settings of a faculty, and where each value comes from. */
import { basename, dirname } from 'node:path';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { type FacultyValue, facultyValues } from '../../catalog/faculty/faculty-values.ts';
import { runsCommands } from '../../catalog/faculty/runs-commands.ts';
import { loadSkills } from '../../catalog/skills/load-skills.ts';
import { AnimusError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { readSmallFile } from '../../core/files/regular-file.ts';
import { type FacultyModel, facultyModels } from '../../daemon/models/faculty-models.ts';
import { loadRunnableFaculties } from '../../daemon/reload/load-faculties.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { facultiesDirectory } from '../../terminal/command/faculties-directory.ts';
import { skillsDirectories } from '../../terminal/command/skills-directories.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import type { Part } from '../../terminal/view/part.ts';
import { counted, grouped } from '../../terminal/view/quantities.ts';
import { type BashIsolation, bashIsolationOf, bashSentences } from './bash-isolation.ts';
import { codeOf } from './code-execution.ts';
import { permissionsOf, showPermissions } from './faculty-permissions.ts';
import { hooksJson, showHooks } from './show-hooks.ts';
import { showSkills, skillsJson, skillsOf } from './show-skills.ts';

interface ShowOptions extends CommonOptions {
  readonly faculties?: string;
  readonly skills?: string;
}

export async function showFaculty(invocation: Invocation, options: ShowOptions, name: string): Promise<number> {
  const { output } = invocation;
  const config = await invocation.config();
  const directory = await facultiesDirectory(invocation, options.faculties);
  const { faculties, problems } = await loadRunnableFaculties(directory, config);
  const faculty = faculties.get(name);
  if (faculty === undefined) {
    const broken = problems.length === 0 ? '' : `; ${directory} has files with problems, see: animus faculty check`;
    throw new AnimusError('faculty.unknown', { name, hint: didYouMean(name, faculties.keys()) + broken });
  }
  const values = facultyValues(faculty.file, readSmallFile(faculty.file));
  const models = facultyModels(faculty, config);
  const bash = runsCommands(faculty) ? await bashIsolationOf(faculty, config.home) : null;
  const code = codeOf(faculty, config);
  const skills = skillsOf(faculty, loadSkills(await skillsDirectories(invocation, options.skills)));
  const permissions = permissionsOf(faculty, bash, skills.length > 0);
  output.document({
    name,
    file: faculty.file,
    values,
    system_prompt: faculty.engage.systemPrompt,
    models: models.map(modelJson),
    hooks: hooksJson(faculty),
    skills: skillsJson(faculty, skills),
    permissions: {
      approval_deadline_seconds: faculty.permissions?.approvalDeadlineSeconds ?? null,
      four_eyes: faculty.permissions?.fourEyes ?? false,
      tools: permissions,
    },
    bash,
    code,
  });
  showHead(output, faculty);
  showValues(output, faculty, values);
  showModels(output, models);
  showHooks(output, faculty);
  showSkills(output, faculty, skills);
  showPermissions(output, faculty, permissions);
  showBash(output, bash);
  if (code !== null) output.block(`execute_code runs ${code.sentence}`);
  return 0;
}

function showHead(output: Output, { name, description, file, engage }: Faculty): void {
  output.line(styled(name, 'bold'), description === '' ? '' : `  ${description}`);
  output.block(file);
  const lines = engage.systemPrompt.trim().split('\n').length;
  const prompt = `system prompt of ${counted(lines, 'line')}, ${counted(engage.systemPrompt.length, 'character')}`;
  output.line(styled(prompt, 'dim'));
  output.line();
}

/** The file is printed above, so a line number is enough to find the key. */
function showValues(output: Output, { file }: Faculty, values: readonly FacultyValue[]): void {
  output.table(
    [{ title: 'KEY', shrink: true }, { title: 'VALUE', shrink: true }, { title: 'FROM' }],
    values.map(({ key, value, origin }) => [
      key,
      value === null ? styled('not set', 'dim') : typeof value === 'string' ? value : JSON.stringify(value),
      origin === 'default' ? styled(origin, 'dim') : origin.replace(`${dirname(file)}/${basename(file)}:`, 'line '),
    ]),
  );
}

function showModels(output: Output, models: readonly FacultyModel[]): void {
  if (models.length === 0) return;
  output.line();
  output.table(
    [
      { title: 'MODEL', shrink: true },
      { title: 'WINDOW', align: 'right', optional: true },
      { title: 'KNOWN FROM', shrink: true, optional: true },
      { title: 'ASKED AT', shrink: true },
      { title: 'KEY', shrink: true },
    ],
    models.map((model) => [
      `${model.provider}/${model.model}`,
      grouped(model.info.contextWindow),
      model.knownFrom === 'nowhere' ? styled('nowhere', 'yellow') : model.knownFrom,
      addressOf(model),
      keyOf(model),
    ]),
  );
}

function addressOf({ settings }: FacultyModel): string {
  if (settings === null) return '-';
  return settings.kind === 'scripted' ? settings.script : settings.baseUrl.replace(/\?.*/, '?***');
}

function keyOf({ settings }: FacultyModel): Part {
  if (settings !== null && settings.kind !== 'scripted') {
    if (settings.credentials !== null) return `by ${settings.credentials.command[0]}`;
    if (settings.awsKeys !== null) return 'AWS access keys';
  }
  if (settings === null || settings.kind === 'scripted' || settings.apiKeyEnv === null) return styled('none', 'dim');
  return settings.apiKey === null ? styled(`${settings.apiKeyEnv} is not set`, 'yellow') : settings.apiKeyEnv;
}

function modelJson(model: FacultyModel) {
  const { settings, info } = model;
  const called = settings !== null && settings.kind !== 'scripted' ? settings : null;
  return {
    written: model.written,
    provider: model.provider,
    model: model.model,
    kind: model.kind,
    asked_at: addressOf(model),
    api_key_env: called?.apiKeyEnv ?? null,
    api_key_set: called !== null && called.apiKey !== null,
    context_window: info.contextWindow,
    max_output: info.maxOutput,
    known_from: model.knownFrom,
  };
}

function showBash(output: Output, bash: BashIsolation | null): void {
  if (bash === null) return;
  output.line();
  for (const sentence of bashSentences(bash)) output.block(sentence);
}
