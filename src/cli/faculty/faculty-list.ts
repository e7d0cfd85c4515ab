/** `animus faculty list`. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { asksModel, type Faculty } from '../../catalog/faculty/faculty.ts';
import type { Problem } from '../../core/errors/problem.ts';
import { readSmallFile } from '../../core/files/regular-file.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { facultiesDirectory } from '../../terminal/command/faculties-directory.ts';
import { styled } from '../../terminal/view/output.ts';
import { counted } from '../../terminal/view/quantities.ts';

export interface FacultyOptions extends CommonOptions {
  readonly faculties?: string;
}

export async function listFaculties(invocation: Invocation, options: FacultyOptions): Promise<number> {
  const { output } = invocation;
  const directory = await facultiesDirectory(invocation, options.faculties);
  // It starts while the configuration and what reads faculties are loaded.
  if (mentionsSchema(directory)) (await import('../../schemas/check-schema.ts')).prepareChecks('outcome');
  const [{ loadAtStart }, config] = await Promise.all([
    import('../../daemon/reload/load-faculties.ts'),
    invocation.config(),
  ]);
  const { faculties, problems } = await loadAtStart(directory, config);
  output.document({
    directory,
    faculties: [...faculties.values()].map(facultyJson),
    problems: problems.map(problemJson),
  });
  output.table(
    [
      { title: 'NAME' },
      { title: 'MODEL', shrink: true },
      { title: 'MAX', align: 'right' },
      { title: 'TOOLS', align: 'right' },
      { title: 'DESCRIPTION', shrink: true },
    ],
    [...faculties.values()].map((faculty) => [
      styled(faculty.name, 'bold'),
      faculty.engage.external ? `(${basename(faculty.engage.external.command)})` : faculty.engage.model,
      faculty.maxConcurrent === null ? '-' : String(faculty.maxConcurrent),
      String(faculty.engage.tools.length),
      faculty.description,
    ]),
  );
  if (problems.length > 0)
    output.note(`${counted(problems.length, 'problem')} in ${directory}; run: animus faculty check`);
  return 0;
}

/** Whether a faculty of the directory may have a schema to be checked. Never throws: what cannot be read is a problem when it is loaded. */
function mentionsSchema(directory: string): boolean {
  try {
    const files = readdirSync(directory).filter((name) => name.endsWith('.toml'));
    return files.some((name) => readSmallFile(join(directory, name)).includes('outcome_schema'));
  } catch {
    return false;
  }
}

function facultyJson(faculty: Faculty) {
  const { name, description, file, maxConcurrent, workspace, engage } = faculty;
  const { mode, tools } = engage;
  const model = asksModel(engage) ? engage.model : null;
  return { name, description, file, max_concurrent: maxConcurrent, workspace, mode, model, tools };
}

export function problemJson({ code, file, line, key, message }: Problem) {
  return { code, file, line, key, message };
}
