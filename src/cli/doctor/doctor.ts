/** `animus doctor`: checks everything that animus depends on, with a remedy for each problem. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Faculties } from '../../catalog/faculties.ts';
import type { Config } from '../../core/config/config.ts';
import { isAnimusError } from '../../core/errors/errors.ts';
import { loadAtStart } from '../../daemon/reload/load-faculties.ts';
import { loadFeatures } from '../../features/features.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { FACULTIES_OPTION, facultiesDirectory } from '../../terminal/command/faculties-directory.ts';
import { SKILLS_OPTION, skillsDirectories } from '../../terminal/command/skills-directories.ts';
import { type Finding, fine, note, problem } from '../../terminal/view/finding.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import type { Style } from '../../terminal/view/part.ts';
import { examineDatabase } from './database/database.ts';
import { examineCaches } from './site/caches.ts';
import { examineContainers } from './site/containers.ts';
import { examineDisk, examineModes } from './site/files.ts';
import { examineFaculties, examineIsolation, examineLimits } from './site/host.ts';
import { examineKeys } from './site/keys.ts';
import { examineModels } from './site/models.ts';
import { examinePorts } from './site/ports.ts';
import { examinePrograms } from './site/programs.ts';
import { examineProvider, providerQuestion } from './site/provider.ts';
import { examineReach } from './site/reach.ts';
import { examineSecrets } from './site/secrets.ts';

interface DoctorOptions extends CommonOptions {
  readonly provider: readonly string[];
  readonly deep?: boolean;
  readonly faculties?: string;
  readonly skills?: string;
}

/** Adds `animus doctor`. */
export function addDoctorCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'doctor', {
    summary:
      'check configuration, database, clock, isolation, git, Docker, disk, file modes, ports, faculties, skills and keys, with a remedy for each problem; exits 1 if it finds one',
    examples: [
      'animus doctor',
      'animus doctor --deep',
      'animus doctor --provider anthropic',
      'animus doctor --provider local/qwen3 --json',
    ],
  })
    .option(
      '--provider <name>',
      'make one cheap call to this provider, or PROVIDER/MODEL; may be repeated',
      collect,
      [],
    )
    .option('--deep', 'also look for damage done to the database by hand; reads whole tables')
    .option(...FACULTIES_OPTION)
    .option(...SKILLS_OPTION)
    .action(run(doctorCommand));
}

function collect(name: string, before: readonly string[]): string[] {
  return [...before, name];
}

async function doctorCommand(invocation: Invocation, options: DoctorOptions): Promise<number> {
  const { output } = invocation;
  const findings: Finding[] = [];
  for await (const found of examine(invocation, options)) {
    for (const finding of found) show(output, finding);
    findings.push(...found);
  }
  const ok = findings.every(({ state }) => state !== 'problem');
  output.document({ ok, findings });
  return ok ? 0 : 1;
}

/** Yields each check's findings as soon as it has finished. Without a valid configuration only the host can be checked. */
async function* examine(invocation: Invocation, options: DoctorOptions): AsyncGenerator<readonly Finding[]> {
  const config = await readConfig(invocation);
  if ('problem' in config) {
    yield [config.problem];
    yield await examineIsolation({ faculties: new Map() });
    yield [note('not checked', UNCHECKED, 'correct the configuration, then run: animus doctor')];
    return;
  }
  const directory = await facultiesDirectory(invocation, options.faculties);
  const faculties = await readFaculties(directory, config);
  const questions = options.provider.map((asked) => providerQuestion(asked, config, faculties.faculties.values()));
  yield [fine('configuration', config.file ?? 'defaults and environment: no animus.toml found')];
  yield await examineDatabase(invocation, options.deep ?? false);
  yield await examineIsolation(faculties, config.home);
  yield [examineLimits(config.daemon)];
  const { env, cwd } = invocation.context;
  const skillsDirs = await skillsDirectories(invocation, options.skills);
  yield await examineReach({ config, env, cwd, facultiesDir: directory, skillsDirs, faculties: faculties.faculties });
  yield await examinePrograms(faculties);
  yield await examineContainers(faculties, config);
  yield examineDisk(config);
  yield await examineCaches(config, faculties);
  yield examineModes(config);
  yield await examinePorts(config, invocation.context.signals.drain);
  yield examineFaculties(directory, faculties);
  yield examineModels(faculties, config);
  const asked = new Set(questions.flatMap((each) => ('provider' in each ? each.provider.name : [])));
  for (const { examine: look } of await loadFeatures()) {
    if (look) yield (await look())({ config, faculties, skillsDirectories: skillsDirs, invocation, asked });
  }
  yield examineSecrets(config, env);
  yield examineKeys(faculties, config);
  for (const question of questions) {
    yield await examineProvider(question, config, invocation.context.signals.drain);
  }
}

const UNCHECKED =
  'database, clock, git, Docker, disk, file modes, ports, faculties, models, providers, skills, webhooks and keys: they need a valid configuration';

async function readConfig(invocation: Invocation): Promise<Config | { readonly problem: Finding }> {
  try {
    return await invocation.config();
  } catch (error) {
    if (!isAnimusError(error)) throw error;
    return { problem: problem('configuration', error.message) };
  }
}

/** A missing directory has no faculties; the check of the faculties reports that. */
async function readFaculties(directory: string, config: Config): Promise<Faculties> {
  return existsSync(directory) ? await loadAtStart(directory, config) : { faculties: new Map(), problems: [] };
}

const LABELS: Readonly<Record<Finding['state'], Style>> = { ok: 'green', note: 'yellow', problem: 'red' };
const INDENT = ' '.repeat(9);

/** Problems are never truncated. */
function show(output: Output, { check, state, detail, remedy }: Finding): void {
  output.line(styled(state.padEnd(9), LABELS[state]), styled(check, 'bold'), state === 'ok' ? `  ${detail}` : '');
  if (state !== 'ok') output.block(detail, INDENT);
  if (remedy !== null) output.block(`→ ${remedy}`, INDENT);
}
