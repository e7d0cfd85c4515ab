/** `animus faculty check`: every problem of the faculty files, and remarks. */
import { runsCommands } from '../../catalog/faculty/runs-commands.ts';
import { loadSkills } from '../../catalog/skills/load-skills.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { unknownEmbeddings, unknownModels } from '../../daemon/models/unknown-models.ts';
import { loadAtStart } from '../../daemon/reload/load-faculties.ts';
import { loadMcpState } from '../../features/mcp/feature.ts';
import type { Invocation } from '../../terminal/command/command.ts';
import { facultiesDirectory } from '../../terminal/command/faculties-directory.ts';
import { skillsDirectories } from '../../terminal/command/skills-directories.ts';
import { styled } from '../../terminal/view/output.ts';
import { counted } from '../../terminal/view/quantities.ts';
import { bashIsolationOf, bashSentences } from './bash-isolation.ts';
import { codeOf } from './code-execution.ts';
import { type FacultyOptions, problemJson } from './faculty-list.ts';
import { permissionRemarks } from './faculty-permissions.ts';
import { cacheRemarks, childRemarks, skillRemarks } from './faculty-remarks.ts';
import { hooksJson, listHooks } from './show-hooks.ts';

interface CheckOptions extends FacultyOptions {
  readonly mcp?: boolean;
  readonly pin?: boolean;
}

export async function checkFaculties(
  invocation: Invocation,
  options: CheckOptions,
  names: readonly string[],
): Promise<number> {
  const { output } = invocation;
  const config = await invocation.config();
  const directory = await facultiesDirectory(invocation, options.faculties);
  const { faculties, problems } = await loadAtStart(directory, config);
  const library = loadSkills(await skillsDirectories(invocation, undefined));
  const missing = names.filter((name) => !faculties.has(name));
  const chosen = [...faculties.values()].filter(({ name }) => names.length === 0 || names.includes(name));
  const mcpStateOf = await loadMcpState();
  const mcp = await mcpStateOf(chosen, directory, invocation, { ...options, isolationOf: bashIsolationOf });
  const ok = problems.length === 0 && missing.length === 0 && mcp.ok;
  const shared = unknownEmbeddings(config);
  const sound = await Promise.all(
    [...faculties.values()].map(async (faculty) => {
      const bash = runsCommands(faculty) ? await bashIsolationOf(faculty, config.home) : null;
      const remarks = [
        ...unknownModels(faculty, config),
        ...permissionRemarks(faculty, bash),
        ...childRemarks(faculty, faculties),
        ...skillRemarks(faculty, library),
        ...cacheRemarks(faculty, bash),
      ];
      return { faculty, bash, remarks };
    }),
  );
  output.document({
    directory,
    ok,
    faculties: [...faculties.keys()],
    missing,
    problems: problems.map(problemJson),
    remarks: [...sound.flatMap(({ remarks }) => remarks), ...shared].map(problemJson),
    hooks: Object.fromEntries(sound.map(({ faculty }) => [faculty.name, hooksJson(faculty)])),
    mcp: mcp.document,
    bash: Object.fromEntries(sound.flatMap(({ faculty, bash }) => (bash === null ? [] : [[faculty.name, bash]]))),
    code: Object.fromEntries(
      sound.flatMap(({ faculty }) => {
        const code = codeOf(faculty, config);
        return code === null ? [] : [[faculty.name, code]];
      }),
    ),
  });
  for (const { faculty, remarks, bash } of sound) {
    if (names.length > 0 && !names.includes(faculty.name)) continue;
    output.line(styled('ok       ', 'green'), `${faculty.name}  ${faculty.file}`);
    const { prefetch } = faculty;
    if (prefetch !== undefined) {
      const items = prefetch === 0 ? 'nothing' : `up to ${counted(prefetch, 'item')}`;
      output.block(`a daemon claims ${items} ahead of its free slots`, INDENT);
    }
    for (const sentence of bash === null ? [] : bashSentences(bash)) output.block(sentence, INDENT);
    const code = codeOf(faculty, config);
    if (code !== null) output.block(`execute_code runs ${code.sentence}`, INDENT);
    listHooks(output, faculty, INDENT);
    for (const { message } of remarks) output.block(`remark   ${message}`);
    mcp.show(faculty.name);
  }
  for (const { message } of shared) output.block(`remark   ${message}`);
  // Messages are not cut: showing them is the purpose of the command.
  for (const { message } of problems) output.block(`problem  ${message}`);
  for (const name of missing)
    output.block(`missing  no usable faculty is named ${name}${didYouMean(name, faculties.keys())}`);
  if (ok && faculties.size === 0)
    output.note(`no faculty files in ${directory}; copy one that comes with animus: animus faculty add`);
  if (problems.length > 0) output.note(`${counted(problems.length, 'problem')} in ${directory}`);
  return ok ? 0 : 2;
}

const INDENT = ' '.repeat(9);
