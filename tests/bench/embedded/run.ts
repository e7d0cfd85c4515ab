/**
 * A daemon on the embedded database: its first start and the next one, until it is ready for work, foci of one scripted turn per second, and
 * memory: `npm run bench -- tests/bench/embedded/run.ts [--runs 3] [--items 500] [--other DIRECTORY]`. PGlite alone, which creates its cluster and opens it again in a
 * process of its own, is the floor of both starts. `--other` is a checkout of another commit, with its modules, which takes turns. A first start is
 * that of the package where `npm run build` has run, and that of a clone where it has not. Linux only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { connectToEmbeddedOwner } from '../../../src/store/embedded/embedded-owner.ts';
import { drain } from '../focus/drain.ts';
import { median } from '../support/bench-database.ts';
import { processCpuMs } from '../support/process-cpu.ts';
import { report } from '../support/report.ts';

interface Started {
  readonly ms: number;
  readonly cpuMs: number;
  readonly restMb: number;
  readonly workedMb: number;
  readonly mostMb: number;
  readonly more: Readonly<Record<string, number>>;
}

const OWN = resolve(import.meta.dirname, '../../..');
const PGLITE = new URL('pglite-alone.ts', import.meta.url).pathname;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    items: { type: 'string', default: '500' },
    other: { type: 'string' },
  },
});
const items = Number(values.items);
const checkouts = [OWN, ...(values.other === undefined ? [] : [resolve(values.other)])];

const measured = new Map<string, Record<string, number>[]>();
for (let run = 0; run < Number(values.runs); run++) {
  await keep('PGlite alone', (directory) => measureStarts([PGLITE], directory, async () => ({})));
  for (const checkout of checkouts) {
    const command = [join(checkout, 'src/animus.js'), 'serve', '--faculties', 'faculties'];
    await keep(`daemon of ${checkout === OWN ? 'this commit' : '--other'}`, (directory) =>
      measureStarts(command, directory, () => fociPerS(join(directory, 'home'))),
    );
  }
}
for (const [who, runs] of measured) {
  const names = Object.keys(runs[0]!);
  const figures = Object.fromEntries(names.map((name) => [name, median(runs.map((one) => one[name]!)).toFixed(0)]));
  console.log(who, figures);
  report({ what: 'embedded database', who, figures });
}

async function keep(who: string, measure: (directory: string) => Promise<Record<string, number>>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-embedded-'));
  try {
    writeFaculty(directory);
    measured.set(who, [...(measured.get(who) ?? []), await measure(directory)]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function writeFaculty(directory: string): void {
  mkdirSync(join(directory, 'faculties'));
  writeFileSync(join(directory, 'script.toml'), '[[answer]]\ntext = "Done: nothing was to do."\n');
  writeFileSync(
    join(directory, 'animus.toml'),
    '[daemon]\nmax_concurrent = 10\nhttp = "off"\n[providers.play]\nkind = "scripted"\nscript = "script.toml"\n',
  );
  writeFileSync(
    join(directory, 'faculties/quick0.toml'),
    '[faculty]\nname = "quick0"\ndescription = "Answers at once"\n[faculty.engage]\nmodel = "play/any"\nsystem_prompt = "You answer at once."\n',
  );
}

/** Starts a command twice; `work` runs in the second. */
async function measureStarts(
  command: readonly string[],
  directory: string,
  work: () => Promise<Record<string, number>>,
): Promise<Record<string, number>> {
  const first = await started(command, directory, async () => ({}));
  const next = await started(command, directory, work);
  return {
    'first start, ms': first.ms,
    'first start, CPU ms': first.cpuMs,
    'next start, ms': next.ms,
    'next start, CPU ms': next.cpuMs,
    'at rest, MB': next.restMb,
    ...next.more,
    'after work, MB': next.workedMb,
    'most, MB': next.mostMb,
  };
}

/** Until it says that it is ready; then `work`, then SIGTERM. */
async function started(
  command: readonly string[],
  cwd: string,
  work: () => Promise<Record<string, number>>,
): Promise<Started> {
  const env = { ...process.env, DATABASE_URL: '', ANIMUS_HOME: join(cwd, 'home'), ANIMUS_LOG_LEVEL: 'info' };
  const beganMs = performance.now();
  const child = spawn(process.execPath, command, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  await new Promise<void>((done, fail) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('ready for work')) done();
    });
    child.once('exit', (code) => fail(new Error(`it ended with ${code}: ${said}`)));
  });
  const ms = performance.now() - beganMs;
  const pid = child.pid!;
  const [cpuMs, restMb] = [processCpuMs(pid), memoryMb(pid, 'VmRSS')];
  const worked = await work();
  const more = { ...worked, ...('foci per s' in worked && { 'work, CPU ms': processCpuMs(pid) - cpuMs }) };
  const [workedMb, mostMb] = [memoryMb(pid, 'VmRSS'), memoryMb(pid, 'VmHWM')];
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  return { ms, cpuMs, restMb, workedMb, mostMb, more };
}

function memoryMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const kb = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1];
  return Number(kb) / 1024;
}

async function fociPerS(home: string): Promise<Record<string, number>> {
  const db = await connectToEmbeddedOwner({ home, poolSize: 1 });
  if (db === null) throw new Error('the daemon does not serve its database');
  try {
    await drain(db, 1, 50);
    const beganMs = performance.now();
    await drain(db, 1, items);
    return { 'foci per s': (1000 * items) / (performance.now() - beganMs) };
  } finally {
    await db.close();
  }
}
