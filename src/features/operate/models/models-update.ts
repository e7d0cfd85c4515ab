/** `animus models update`: fetches newer prices of models from the npm registry, without a new animus. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { AnimusError, messageOf, usageError } from '../../../core/errors/errors.ts';
import { readRegularFile } from '../../../core/files/regular-file.ts';
import {
  fetchedPrices,
  type PriceFile,
  parsePrices,
  type UsedPrices,
  usedPrices,
} from '../../../llm/models/price-file.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../../terminal/command/command.ts';
import { askNpm, type NpmAsk } from './npm.ts';

interface UpdateOptions extends CommonOptions {
  readonly check?: boolean;
  readonly reset?: boolean;
}

/** Adds `animus models update`. */
export function addModelsUpdateCommand(group: Command, run: RunCommand): void {
  addCommand(group, 'update', {
    summary: "fetch newer prices of models with npm, into ANIMUS_HOME; the package's code does not run",
    examples: ['animus models update', 'animus models update --check', 'animus models update --reset'],
  })
    .option('--check', 'only say whether there are newer prices; exits 0 either way')
    .option('--reset', 'go back to the prices that come with animus')
    .action(run(updateModels));
}

async function updateModels({ output, config, context }: Invocation, options: UpdateOptions): Promise<number> {
  const { home } = await config();
  if (options.check && options.reset) throw usageError('give --check or --reset, not both');
  if (options.reset) {
    rmSync(fetchedPrices(home), { force: true });
    const { file } = usedPrices(null);
    output.document({ prices: file.source, fetched: null });
    output.line(`prices are those that come with animus: ${written(file)}. ${RESTART}`);
    return 0;
  }
  const used = usedPrices(home);
  const npm: NpmAsk = { env: context.env, signal: context.signals.drain };
  const newest = await newestVersion(used.file.source.package, npm);
  const isNewer = newest.version !== used.file.source.version && newest.published >= used.file.source.published;
  if (options.check) {
    output.document({ prices: used.file.source, newest, newer: isNewer });
    output.line(`prices are from ${written(used.file)}`);
    output.line(
      isNewer
        ? `${newest.version} of ${newest.published} is newer; run: animus models update`
        : 'there are no newer ones',
    );
    return 0;
  }
  const source = { package: used.file.source.package, ...newest, checked: new Date().toISOString().slice(0, 10) };
  const file = isNewer
    ? await fetchPrices(source, npm)
    : { ...used.file, source: { ...used.file.source, checked: source.checked } };
  place(file, fetchedPrices(home));
  const changed = isNewer ? changes(used, file) : [];
  output.document({ prices: file.source, fetched: fetchedPrices(home), changed });
  output.line(
    isNewer
      ? `prices are now from ${written(file)}, in ${fetchedPrices(home)}`
      : `prices are from ${written(file)}, the newest available`,
  );
  for (const name of changed.slice(0, MOST_SHOWN)) output.line(`  ${name}`);
  if (changed.length > MOST_SHOWN) output.line(`  and ${changed.length - MOST_SHOWN} more (--json lists them)`);
  if (isNewer) output.line(RESTART);
  return 0;
}

const RESTART = 'Daemons use them after a restart; costs that are recorded stay as they are.';
const MOST_SHOWN = 20;

function written({ source }: PriceFile): string {
  return `${source.package} ${source.version} of ${source.published}`;
}

async function newestVersion(
  name: string,
  npm: NpmAsk,
): Promise<{ readonly version: string; readonly published: string }> {
  const answer = await askNpm(['view', name, 'version', 'time', '--json'], npm);
  try {
    const { version, time } = JSON.parse(answer) as { version: string; time: Record<string, string> };
    return { version, published: new Date(time[version] ?? '').toISOString().slice(0, 10) };
  } catch (error) {
    throw new AnimusError(
      'models.not_fetched',
      { detail: `npm answered with something other than versions: ${messageOf(error)}` },
      { cause: error },
    );
  }
}

/** npm checks the package against the registry's digest and runs no script of it; its file is read as text. */
async function fetchPrices(source: PriceFile['source'], npm: NpmAsk): Promise<PriceFile> {
  const directory = mkdtempSync(join(tmpdir(), 'animus-prices-'));
  try {
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    await askNpm(['install', '--prefix', directory, ...quiet, `${source.package}@${source.version}`], npm);
    const { MOST_PACKAGE_BYTES, readPricePackage } = await import('../../../llm/models/price-package.ts');
    const path = join(directory, 'node_modules', source.package, 'dist', 'index.js');
    const file = readPricePackage(readRegularFile(path, { maxBytes: MOST_PACKAGE_BYTES }).toString('utf8'), source);
    if (Object.values(file.vendors).some((models) => Object.keys(models).length === 0))
      throw new Error('a vendor has no models in it');
    return parsePrices(JSON.stringify(file));
  } catch (error) {
    if (error instanceof AnimusError) throw error;
    const detail = `${source.package} ${source.version} cannot be read by this version of animus: ${messageOf(error)}`;
    throw new AnimusError('models.not_fetched', { detail }, { cause: error });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Replaces the file as a whole: no process reads half of it. */
function place(file: PriceFile, path: string): void {
  // Only its owner may enter ANIMUS_HOME.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}`;
  try {
    writeFileSync(fresh, `${JSON.stringify(file, null, 1)}\n`);
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw new AnimusError(
      'models.not_fetched',
      { detail: `${path} cannot be written: ${messageOf(error)}` },
      { cause: error },
    );
  }
}

/** `vendor/model` of those whose prices differ, and new ones. */
function changes({ file: { vendors: before } }: UsedPrices, { vendors: after }: PriceFile): string[] {
  return Object.entries(after).flatMap(([vendor, models]) =>
    Object.entries(models)
      .filter(([model, { rates, changes: later }]) => {
        const old = before[vendor]?.[model];
        return !isDeepStrictEqual([old?.rates, old?.changes], [rates, later]);
      })
      .map(([model]) => `${vendor}/${model}${before[vendor]?.[model] ? '' : ' (new)'}`),
  );
}
