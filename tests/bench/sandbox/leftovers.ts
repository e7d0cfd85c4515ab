/**
 * What executions leave behind when daemons and keepers are killed at random: `npm run bench -- tests/bench/sandbox/leftovers.ts [--runs 500]`.
 * Needs root and dockerd: it runs on an engine of its own, so that everything on it can be counted. Fails if anything is left.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { builtImage } from '../../docker/sandbox/built-image.ts';
import { childOf } from '../../docker/sandbox/child-of.ts';
import { type OwnEngine, prepareEngine } from '../../docker/sandbox/own-engine.ts';
import { eventually } from '../../support/eventually.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '500' } } });
const runs = Number(values.runs);

const FAULTS = ['daemon', 'keeper', 'both', 'freeze', 'stop'] as const;
const ends: Record<string, number> = {};
const faults: Record<string, number> = {};

const image = await builtImage();
const home = mkdtempSync(join(tmpdir(), 'animus-leftovers-'));
const engine = await prepareEngine([], image, 1500);
try {
  const before = await everything(engine);
  for (let round = 0; total() < runs; round++) await oneDaemon(FAULTS[round % FAULTS.length] ?? 'stop');
  // As the next start of a daemon does.
  await oneDaemon('stop');
  await eventually('nothing is left', async () => (same(await everything(engine), before) ? true : null), 60).catch(
    () => {},
  );
  const after = await everything(engine);
  console.log(`${total()} executions: ${JSON.stringify(ends)}; faults: ${JSON.stringify(faults)}`);
  console.log(
    `before: ${JSON.stringify(before)}\nafter:  ${JSON.stringify(after)}\nin the home: ${JSON.stringify(readdirSync(home))}`,
  );
  if (!same(before, after) || readdirSync(home).length > 0) process.exitCode = 1;
} finally {
  await engine.remove();
  rmSync(home, { recursive: true, force: true });
}

function total(): number {
  return Object.values(ends).reduce((sum, count) => sum + count, 0);
}

/** Runs a daemon for a while, then this happens to it. */
async function oneDaemon(fault: (typeof FAULTS)[number]): Promise<void> {
  faults[fault] = (faults[fault] ?? 0) + 1;
  const settings = { engine: engine.address, marker: join(home, 'in-use'), image };
  const program = join(import.meta.dirname, 'executing-daemon.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let seen = 0;
  createInterface({ input: child.stdout }).on('line', (ended) => {
    ends[ended] = (ends[ended] ?? 0) + 1;
    seen++;
  });
  const wanted = fault === 'stop' ? 8 : 20 + Math.random() * 20;
  await eventually('it has executed something', () => (seen >= wanted ? true : null), 120);
  await apply(fault, child);
  child.kill('SIGTERM');
  await eventually('it has ended', () => (child.exitCode === null && child.signalCode === null ? null : true), 60);
}

async function apply(fault: (typeof FAULTS)[number], child: ChildProcess): Promise<void> {
  const pid = child.pid ?? 0;
  if (fault === 'daemon') child.kill('SIGKILL');
  if (fault === 'keeper') process.kill(childOf(pid), 'SIGKILL');
  if (fault === 'both') {
    child.kill('SIGSTOP');
    for (const each of [childOf(pid), pid]) process.kill(each, 'SIGKILL');
  }
  if (fault === 'freeze') {
    child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 3000));
    child.kill('SIGCONT');
  }
}

/** What the engine has: containers, volumes, and the files of both and of their layers; and its processes. */
async function everything({ docker, data }: OwnEngine): Promise<Readonly<Record<string, number>>> {
  const count = async (...args: readonly string[]) => (await docker(...args)).split('\n').length - 1;
  const files = (...path: readonly string[]) => {
    const directory = join(data, ...path);
    return existsSync(directory) ? readdirSync(directory).length : 0;
  };
  return {
    containers: await count('ps', '--all', '--quiet'),
    volumes: await count('volume', 'ls', '--quiet'),
    containerFiles: files('containers'),
    volumeFiles: files('volumes'),
    layers: files('image', 'overlay2', 'layerdb', 'mounts'),
    mounts: readFileSync('/proc/mounts', 'utf8').split(data).length - 1,
  };
}

function same(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
