/** The doctor looks at this host and what is written on it: isolation of bash, faculties. */
import type { Faculties } from '../../catalog/faculties.ts';
import { describeIsolation, examineIsolation as examineHost } from '../../process/isolation.ts';
import { type Finding, fine, note, problem } from './finding.ts';

/** The best this host can do for commands, and the faculties that demand more. `home` is ANIMUS_HOME where it is known. */
export async function examineIsolation(
  { faculties }: Pick<Faculties, 'faculties'>,
  home?: string,
): Promise<readonly Finding[]> {
  const { best, missing } = await examineHost(home);
  const lacking = Object.entries(missing).map(([isolation, why]) => `«${isolation}»: ${why}`);
  const detail = `${best}: commands run ${describeIsolation(best)}`;
  const own = best === 'none' ? note('isolation', detail, lacking.join('; ')) : fine('isolation', detail);
  const demands = [...faculties.values()].flatMap(({ name, engage: { bashIsolation: wanted } }) => {
    const why = wanted === null ? undefined : missing[wanted];
    return why === undefined ? [] : [problem('isolation', `faculty ${name} demands bash_isolation = "${wanted}"`, why)];
  });
  return [own, ...demands];
}

/** Every problem of every file. */
export function examineFaculties(directory: string, { faculties, problems }: Faculties): readonly Finding[] {
  if (problems.length > 0) return problems.map(({ message }) => problem('faculties', message));
  if (faculties.size === 0)
    return [note('faculties', `no faculty files in ${directory}`, 'write one, or use --faculties')];
  return [fine('faculties', `${[...faculties.keys()].join(', ')} in ${directory}`)];
}
