/** `animus demo`: shows one work item from its SQL insert to its verified outcome, without a server or an API key. */
import { chmod, cp, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import type { ProviderConfig } from '../../core/config/providers/provider.ts';
import { usageError } from '../../core/errors/errors.ts';
import { sayingWhatGoesOn } from '../../core/errors/interruption.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { isTerminal } from '../../core/work/work.ts';
import { splitModelName } from '../../llm/locate-model.ts';
import { insertDemoWork } from '../../store/work/demo-work.ts';
import { wholeNumber } from '../../terminal/command/arguments.ts';
import { addCommand, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { SHIPPED_FACULTIES } from '../../terminal/command/shipped.ts';
import { calledAs } from '../../terminal/view/copied-command.ts';
import { inScratchHome, type OneItemRun, runOneItem } from '../scratch/one-item.ts';
import { createDemoView, type DemoView } from './demo-view.ts';
import type { WeekOptions } from './demo-week.ts';

interface DemoOptions extends WeekOptions {
  readonly model?: string;
  readonly keep?: boolean;
  readonly week?: boolean;
}

/** Adds `animus demo`. */
export function addDemoCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'demo', {
    summary: 'watch an agent do real work, with an embedded database and a scripted model',
    examples: [
      'animus demo',
      'animus demo --keep',
      'animus demo --model claude-sonnet-4-5',
      'ANIMUS_HOME=./demo animus demo --week',
    ],
  })
    .option('--model <name>', 'use a real model; its API key must be set')
    .option('--keep', 'keep the database and the workspace afterwards')
    .option('--week', 'instead, fill a database with a week of work of a small team; nothing of it runs')
    .option('--database <url>', 'with --week: this server (default: the embedded database of ANIMUS_HOME)')
    .option('--items <n>', 'with --week: how many work items, about (default 1500)', wholeNumber(50, 1_000_000))
    .option('--long-turns <n>', 'with --week: turns of the longest item (default 400)', wholeNumber(50, 100_000))
    .option('--seed <n>', 'with --week: another week for each number (default 1)', wholeNumber(1, 1_000_000))
    .option('--yes', 'with --week: also into a database that contains work')
    .action(run(demoCommand));
}

async function demoCommand(invocation: Invocation, options: DemoOptions): Promise<number> {
  refuseMixture(options);
  if (options.week) {
    const { demoWeek } = await import('./demo-week.ts');
    return demoWeek(invocation, options);
  }
  const home = await realpath(await mkdtemp(join(tmpdir(), 'animus-demo-')));
  try {
    const workspace = join(home, 'workspace');
    await copyWritable(join(ASSETS, 'workspace'), workspace);
    const config = await demoConfig(invocation, options.model, home);
    const animus = calledAs(invocation.context.env);
    const view = createDemoView(invocation.output, { animus, home, workspace, ...options });
    view.intro();
    const { item, ledger } = await runWork(invocation, config, workspace, options.model, view);
    view.conclude(item, ledger);
    return item.state === 'completed' ? 0 : 1;
  } catch (error) {
    const kept = `the database and the workspace are kept in ${home}`;
    throw sayingWhatGoesOn(error, options.keep ? kept : 'the demo leaves nothing behind');
  } finally {
    if (!options.keep) await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Options of the one demo with the other. */
function refuseMixture(options: DemoOptions): void {
  const ofOther = options.week
    ? (['model', 'keep'] as const)
    : (['database', 'items', 'longTurns', 'seed', 'yes'] as const);
  const wrong = ofOther.find((name) => options[name] !== undefined);
  if (wrong === undefined) return;
  const flag = `--${wrong.replace('longT', 'long-t')}`;
  throw usageError(options.week ? `${flag} is not for --week, which runs nothing` : `${flag} is only for --week`);
}

/** Makes the copied files writable: a package may be installed read-only, and copies keep their modes. */
async function copyWritable(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
  await chmod(to, 0o755);
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
}

const ASSETS = fileURLToPath(new URL('./', import.meta.url));
const SCRIPTED_MODEL = 'demo/scripted';

/** The user's configuration, with a home and an embedded database of the demo's own. */
async function demoConfig(invocation: Invocation, model: string | undefined, home: string): Promise<Config> {
  const config = await invocation.config();
  if (model !== undefined) refuseWithoutKey(config, model);
  const demo: ProviderConfig = { name: 'demo', kind: 'scripted', script: join(ASSETS, 'script.toml') };
  return { ...inScratchHome(config, home), providers: new Map([...config.providers, ['demo', demo]]) };
}

function refuseWithoutKey(config: Config, model: string): void {
  const { provider: name } = splitModelName(model, config);
  const provider = config.providers.get(name);
  if (provider === undefined) {
    const known = [...config.providers.keys()];
    const hint = didYouMean(name, known) || ` (known: ${known.join(', ')})`;
    throw usageError(`--model: no provider named ${name}${hint}`);
  }
  if (provider.kind === 'scripted' || provider.apiKeyEnv === null) return;
  if (provider.apiKey !== null || provider.credentials !== null) return;
  const detail = `${model} needs an API key of ${provider.name}, and ${provider.apiKeyEnv} is not set; set it, or leave out --model`;
  throw usageError(detail);
}

function runWork(
  { context }: Invocation,
  config: Config,
  workspace: string,
  model: string | undefined,
  view: DemoView,
): Promise<OneItemRun> {
  return runOneItem(context.signals, {
    config,
    facultiesDir: SHIPPED_FACULTIES,
    adapt: (faculty) => atWork(faculty, workspace, model ?? SCRIPTED_MODEL),
    onReady: view.ready,
    async submit(db) {
      const id = await insertDemoWork(db);
      view.inserted(id);
      return id;
    },
    onEvent: view.event,
    isOver: isTerminal,
  });
}

/** The shipped engineer faculty, in the demo's workspace, with the demo's model. */
function atWork(faculty: Faculty, workspace: string, model: string): Faculty {
  return { ...faculty, workspace, engage: { ...faculty.engage, model } };
}
