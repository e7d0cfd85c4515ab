/** `animus demo`: the main job, visible, on a machine that has nothing: from an SQL insert to a verified outcome. */
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { Faculty } from '../catalog/faculty.ts';
import type { Config } from '../core/config.ts';
import { AnimusError } from '../core/errors.ts';
import { isTerminal } from '../core/work.ts';
import type { DaemonReady } from '../daemon/daemon.ts';
import type { Database } from '../store/database.ts';
import { insertDemoWork } from '../store/demo-work.ts';
import { type LedgerEntry, readLedger } from '../store/ledger.ts';
import { readWork, type WorkDetail } from '../store/work-views.ts';
import { openLog } from '../telemetry/log.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from './command.ts';
import { createDemoView, type DemoView } from './demo-view.ts';
import { version } from './version.ts';

interface DemoOptions extends CommonOptions {
  readonly model?: string;
  readonly keep?: boolean;
}

/** Adds `animus demo`. */
export function addDemoCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'demo', {
    summary: 'watch an agent do real work, on an embedded database and a scripted model',
    examples: ['animus demo', 'animus demo --keep', 'animus demo --model claude-sonnet-4-5'],
  })
    .option('--model <name>', 'let a real model do it; its API key must be set')
    .option('--keep', 'leave database and workspace for a look afterwards')
    .action(run(demoCommand));
}

async function demoCommand(invocation: Invocation, options: DemoOptions): Promise<number> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'animus-demo-')));
  try {
    const workspace = join(home, 'workspace');
    await cp(join(ASSETS, 'workspace'), workspace, { recursive: true });
    const config = demoConfig(invocation, options.model, home);
    const view = createDemoView(invocation.output, { home, workspace, ...options });
    view.intro();
    const { item, ledger } = await runWork(invocation, config, workspace, options.model, view);
    view.conclude(item, ledger);
    return item.state === 'completed' ? 0 : 1;
  } finally {
    if (!options.keep) await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const ASSETS = fileURLToPath(new URL('demo/', import.meta.url));
const FACULTIES = fileURLToPath(new URL('../../faculties/', import.meta.url));
const SCRIPTED_MODEL = 'demo/scripted';
const POLL_SECONDS = 0.1;

/** The user's own configuration, on a home and an embedded database of the demo's own. */
function demoConfig(invocation: Invocation, model: string | undefined, home: string): Config {
  const config = invocation.config();
  if (model !== undefined) refuseWithoutKey(config, model);
  const demo = { name: 'demo', kind: 'scripted', script: join(ASSETS, 'script.toml') } as const;
  const daemon = { ...config.daemon, pollSeconds: POLL_SECONDS };
  return { ...config, home, databaseUrl: null, daemon, providers: new Map([...config.providers, ['demo', demo]]) };
}

function refuseWithoutKey(config: Config, model: string): void {
  const prefix = model.includes('/') ? model.slice(0, model.indexOf('/')) : '';
  const provider = config.providers.get(prefix) ?? config.providers.get(config.defaultProvider);
  if (!provider || provider.kind === 'scripted' || provider.apiKey !== null || provider.apiKeyEnv === null) return;
  const detail = `${model} is a model of ${provider.name}, and ${provider.apiKeyEnv} is not set; set it, or leave out --model`;
  throw new AnimusError('usage.invalid', { detail });
}

/** A daemon for one work item: started, given the insert, watched to the end, stopped. */
async function runWork(
  { context }: Invocation,
  config: Config,
  workspace: string,
  model: string | undefined,
  view: DemoView,
): Promise<{ readonly item: WorkDetail; readonly ledger: readonly LedgerEntry[] }> {
  // Loaded here: the other commands do not pay for the daemon's modules.
  const { runDaemon } = await import('../daemon/daemon.ts');
  const { drain } = context.signals;
  const finished = new AbortController();
  const ready = Promise.withResolvers<DaemonReady>();
  const ended = Promise.withResolvers<void>();
  const daemon = runDaemon(
    {
      config,
      version: version(),
      facultiesDir: FACULTIES,
      // The view tells the story; the log speaks up when something is wrong.
      log: openLog({ level: 'error' }),
      adapt: (faculty) => atWork(faculty, workspace, model ?? SCRIPTED_MODEL),
      onReady: ready.resolve,
      onEvent: (event) => {
        view.event(event);
        if (event.type === 'ended' && isTerminal(event.state)) ended.resolve();
      },
    },
    // The first Ctrl-C already means it: nobody waits for a demo's grace time.
    { drain: AbortSignal.any([drain, finished.signal]), abort: drain },
  );
  const stopped = daemon.then(() => {
    throw new AnimusError('interrupted');
  });
  try {
    const { db } = await Promise.race([ready.promise, stopped]);
    view.ready(db);
    const id = await insertDemoWork(db);
    view.inserted(id);
    await Promise.race([ended.promise, stopped]);
    return await story(db, id);
  } finally {
    finished.abort();
    // Its own failure has been thrown above, through `stopped`.
    await daemon.catch(() => undefined);
  }
}

async function story(db: Database, id: string) {
  return { item: await readWork(db, id), ledger: await readLedger(db, id) };
}

/** The shipped engineer, in the demo's workspace, with the demo's model. */
function atWork(faculty: Faculty, workspace: string, model: string): Faculty {
  return { ...faculty, workspace, engage: { ...faculty.engage, model } };
}
