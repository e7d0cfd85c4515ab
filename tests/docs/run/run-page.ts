import { type Appliance, prepareAppliance } from '../../docker/appliance.ts';
import { standIns } from '../output/stand-ins.ts';
import type { Block, Page } from '../page/read-page.ts';
import { missingProgram } from './missing-program.ts';
import { embeddedDatabase, serverDatabase } from './page-database.ts';
import { makePageHome } from './page-home.ts';
import type { PageRun } from './page-run.ts';
import { type BlockResult, runBlock } from './run-block.ts';
import { startScriptedModels } from './scripted-models.ts';
import { openShell } from './shell.ts';

/** Blocks that a reader sees, with what became of them. */
export type ShownBlock = Pick<Block, 'line' | 'language'> & BlockResult;

/**
 * Runs all blocks of a page in a fresh home, in order, and removes everything that they started or wrote. Throws what the first block
 * does that fails, or names what was left behind.
 */
export async function runPage(page: Page): Promise<readonly ShownBlock[]> {
  const missing = missingProgram(page.settings.needs);
  if (missing !== null)
    return page.blocks.filter(isShown).map((block) => ({ ...block, kind: 'missing', reason: missing }));
  const ends = new AsyncDisposableStack();
  const ended = await open(page, ends)
    .then((run) => runBlocks(run))
    .then(
      (shown) => ({ shown, failure: null }),
      (failure: Error) => ({ shown: [], failure }),
    );
  const left = await ends.disposeAsync().then(
    () => null,
    (error: Error) => error,
  );
  const failure = ended.failure ?? left;
  if (failure) throw failure;
  return ended.shown;
}

/** What it opens is added to `ends`. */
async function open(page: Page, ends: AsyncDisposableStack): Promise<PageRun> {
  const database = page.settings.database === 'server' ? await serverDatabase() : embeddedDatabase;
  ends.defer(database.remove);
  const models = page.models === null ? null : await startScriptedModels(page.name, page.models);
  if (models) ends.defer(models.close);
  const keys = models ? { ANTHROPIC_BASE_URL: models.url, ANTHROPIC_API_KEY: 'of-the-page' } : {};
  const appliance = page.settings.appliance ? await prepareAppliance({}) : null;
  const home = makePageHome(page.settings, database.url, { ...keys, ...(appliance && ofEngine(appliance)) });
  ends.defer(home.remove);
  // Before the home, which its containers have mounted: the engine would make the directories again.
  if (appliance) ends.defer(() => removed(appliance));
  const shell = openShell({ cwd: home.directory, env: home.env, files: home.files });
  ends.defer(shell.close);
  const known = standIns();
  if (appliance) {
    known.set('127.0.0.1:7716', `127.0.0.1:${appliance.ports.postgres}`);
    known.set('127.0.0.1:7717', `127.0.0.1:${appliance.ports.http}`);
  }
  return { page, home, shell, database, standIns: known, printed: '' };
}

/** What `docker compose` needs in the environment: which appliance, which engine, and from where the images are built. */
function ofEngine({ names }: Appliance): Readonly<Record<string, string>> {
  const given = ['DOCKER_HOST', 'NPM_CONFIG_REGISTRY', 'ANIMUS_BUILD_NETWORK'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...names, ...Object.fromEntries(given) };
}

async function removed(appliance: Appliance): Promise<void> {
  const left = await appliance.remove();
  if (left.length > 0) throw new Error(`the appliance left behind: ${left.join(', ')}`);
}

async function runBlocks(run: PageRun): Promise<readonly ShownBlock[]> {
  const shown: ShownBlock[] = [];
  for (const block of run.page.blocks) {
    const result = await runBlock(block, run);
    if (isShown(block)) shown.push({ line: block.line, language: block.language, ...result });
  }
  return shown;
}

function isShown({ hidden }: Block): boolean {
  return !hidden;
}
