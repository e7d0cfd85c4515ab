/** Loads the faculties that can run under a configuration: valid files whose models accept their options. */
import { type Faculties, loadFaculties } from '../../catalog/faculties.ts';
import { asksModel, type Faculty, modelChain } from '../../catalog/faculty/faculty.ts';
import { outcomeSchemaProblem } from '../../catalog/faculty/outcome-schema.ts';
import { readHooksDirectory } from '../../catalog/reading/hooks-directory.ts';
import type { Config } from '../../core/config/config.ts';
import { WEB_SEARCH_KINDS } from '../../core/config/sections/web.ts';
import { type Problem, placeAt, problemAt, showValue } from '../../core/errors/problem.ts';
import { batchApiOf } from '../../llm/batches.ts';
import { type LocatedModel, locateModel, type ModelNames } from '../../llm/locate-model.ts';
import { type RefusedOption, refusedOptions } from '../../llm/model-options.ts';
import { detectIsolation } from '../../process/isolation.ts';
import { toolTable } from '../../tools/known-tools.ts';
import { hostIsolation } from '../focus/scope/host-isolation.ts';
import { mcpVariableProblems } from '../guard/mcp-variables.ts';
import { aliasProblems } from '../models/alias-problems.ts';
import { budgetProblems } from '../models/budget-problems.ts';
import { modelNames, modelOptions } from '../models/model-names.ts';
import { providerFileProblems } from '../models/provider-files.ts';
import { withProviders } from '../models/providers-of-work.ts';
import { unwritablePlace } from '../workspace/unwritable-place.ts';

/**
 * Reads the directory like `loadFaculties`, and omits each faculty with an option that a model of its chain would refuse
 * in every request, each with an invalid `outcome_schema`, and each that cannot write where it works. If the hooks directory has problems, every faculty with a loop is omitted.
 * `adapt` changes a faculty before its options are checked.
 */
export async function loadRunnableFaculties(
  directory: string,
  config: Config,
  adapt: (faculty: Faculty) => Faculty = (faculty) => faculty,
): Promise<Faculties> {
  const providerNames = [...config.providers.keys()];
  // Not by the path: a scratch daemon has another home, and the hooks of the real one.
  const isNamed = (config.origins.get('hooks.directory') ?? 'default') !== 'default';
  const shared = readHooksDirectory(config.hooks.directory, isNamed);
  const { listed, known, kinds } = toolTable();
  const loaded = loadFaculties(directory, {
    toolNames: listed,
    providerNames,
    tools: known,
    toolKinds: new Map(Object.entries(kinds)),
    sharedHooks: shared.hooks,
  });
  const names = modelNames(config);
  const faculties = new Map<string, Faculty>();
  const problems = [...loaded.problems, ...shared.problems];
  for (const [name, found] of loaded.faculties) {
    const faculty = adapt(found);
    const broken = await refusedOutcomeSchema(faculty);
    const refused = [
      // What a vendor says about an invalid schema does not help.
      ...(broken.length > 0 ? broken : refusalsOf(faculty, names, config)),
      ...missingHooks(faculty, shared.problems),
      ...(await unwritable(faculty, config)),
    ];
    problems.push(...refused);
    if (refused.length === 0) faculties.set(name, withProviders(faculty, config));
  }
  return { faculties, problems };
}

/**
 * What a daemon loads when it starts, for it and for what checks the files: `fatal` problems, which are among the others, are those without
 * which it would start.
 */
export async function loadAtStart(
  directory: string,
  config: Config,
  adapt?: (faculty: Faculty) => Faculty,
): Promise<Faculties & { readonly fatal: readonly Problem[] }> {
  const fatal = providerFileProblems(config);
  const { faculties, problems } = await loadRunnableFaculties(directory, config, adapt);
  return { faculties, problems: [...problems, ...fatal], fatal };
}

function refusalsOf(faculty: Faculty, names: ModelNames, config: Config): Problem[] {
  const { engage } = faculty;
  const chain = modelChain(engage).map((model) => locateModel(model, names));
  const refused = chain.flatMap((model) => [
    ...refusedOptions(model, modelOptions(engage)),
    ...refusedBatch(faculty, model),
  ]);
  return [
    ...aliasProblems(chain, config),
    ...[...refused, ...refusedSearch(faculty, config)].map((each) => problemOf(faculty, each)),
    ...mcpVariableProblems(faculty, config),
    ...budgetProblems(faculty, chain, config),
  ];
}

function refusedSearch({ engage }: Faculty, { web }: Config): RefusedKey[] {
  if (web.search !== null || !engage.tools.includes('web_search')) return [];
  const kinds = WEB_SEARCH_KINDS.map((kind) => `"${kind}"`).join(', ');
  const expected = `tools that work here: for web_search, set [web.search] in animus.toml with kind = one of ${kinds}`;
  return [{ key: 'tools', expected, value: 'web_search' }];
}

async function unwritable(faculty: Faculty, { home }: Config): Promise<Problem[]> {
  // Finding out what this host can do starts processes.
  if (faculty.workspace === null && faculty.repo === null) return [];
  // Only root runs commands as another user.
  const best = process.getuid?.() === 0 ? await detectIsolation(home) : 'none';
  const place = unwritablePlace(faculty, hostIsolation(faculty, best));
  return place === null ? [] : [problemAt('config.conflict', placeOf(faculty, place.key), { detail: place.detail })];
}

async function refusedOutcomeSchema(faculty: Faculty): Promise<Problem[]> {
  const { outcomeSchema } = faculty.engage;
  const problem = outcomeSchema === null ? null : await outcomeSchemaProblem(outcomeSchema);
  if (problem === null) return [];
  return [problemAt('config.conflict', placeOf(faculty, 'engage.outcome_schema'), { detail: `the file ${problem}` })];
}

/** A problem of the faculty's file, so that a running daemon keeps the last good version. */
function missingHooks({ file, engage }: Faculty, [first]: readonly Problem[]): Problem[] {
  if (first === undefined || !asksModel(engage)) return [];
  const detail = `${first.file} has a problem, and every call has to pass the hooks in its directory`;
  return [problemAt('config.conflict', { file, line: null, key: 'hooks.directory' }, { detail })];
}

function refusedBatch({ engage }: Faculty, { provider, model, kind }: LocatedModel): RefusedKey[] {
  if (!engage.batch || batchApiOf(kind) !== null) return [];
  return [{ key: 'batch', expected: `false: the provider of ${provider}/${model} has no batch API`, value: true }];
}

type RefusedKey = Omit<RefusedOption, 'key'> & { readonly key: RefusedOption['key'] | 'batch' | 'tools' };

function problemOf({ file, origins }: Faculty, { key: refused, expected, value }: RefusedKey): Problem {
  // The effort may be written under its earlier name.
  const key = refused === 'effort' && !('engage.effort' in origins) ? 'reasoning_effort' : refused;
  const place = placeOf({ file, origins }, `engage.${key}`);
  return problemAt('config.invalid', place, { expected, value: showValue(value) });
}

function placeOf({ file, origins }: Pick<Faculty, 'file' | 'origins'>, key: string) {
  return placeAt(origins[key], file, `faculty.${key}`);
}
