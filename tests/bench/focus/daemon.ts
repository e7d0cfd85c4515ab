/** A daemon as users start it, with faculties that a script answers in one turn. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeSkills } from '../skills/write-skills.ts';
import { processCpuMs } from '../support/process-cpu.ts';

export interface BenchDaemon {
  /** Processor time so far, in milliseconds. */
  cpuMs(): number;
  /** Resident memory now, in MB (Linux). */
  rssMb(): number;
  stop(): Promise<void>;
}

const LAUNCHER = resolve(import.meta.dirname, '../../../src/animus.js');

export interface DaemonParts {
  readonly skills?: { readonly count: number; readonly activated: number };
  /** The address of its API; default: it has none. */
  readonly http?: string;
  /** More of animus.toml. */
  readonly settings?: string;
  /** More faculties: the text of each file by its name. */
  readonly more?: Readonly<Record<string, string>>;
}

/** Starts one with faculties `quick0` …, and resolves when it serves them. */
export async function startBenchDaemon(
  databaseUrl: string,
  faculties: number,
  { skills = { count: 0, activated: 0 }, http = 'off', settings = '', more = {} }: DaemonParts = {},
): Promise<BenchDaemon> {
  const directory = mkdtempSync(join(tmpdir(), 'animus-bench-focus-'));
  mkdirSync(join(directory, 'faculties'));
  writeFileSync(join(directory, 'script.toml'), '[[answer]]\ntext = "Done: nothing was to do."\n');
  writeFileSync(
    join(directory, 'animus.toml'),
    `[daemon]\nmax_concurrent = 10\nhttp = "${http}"\n[http]\napi = ${http !== 'off'}\nrequests_per_minute = 1000000\n[providers.play]\nkind = "scripted"\nscript = "script.toml"\n${settings}`,
  );
  for (let n = 0; n < faculties; n++) {
    writeFileSync(
      join(directory, 'faculties', `quick${n}.toml`),
      `[faculty]\nname = "quick${n}"\ndescription = "Answers at once"\n[faculty.engage]\nmodel = "play/any"\nsystem_prompt = "You answer at once."\n`,
    );
  }
  for (const [name, text] of Object.entries(more)) writeFileSync(join(directory, 'faculties', `${name}.toml`), text);
  writeSkills(join(directory, 'skills'), skills.count, skills.activated);
  const child = spawn(process.execPath, [LAUNCHER, 'serve', '--faculties', 'faculties'], {
    cwd: directory,
    env: { ...process.env, DATABASE_URL: databaseUrl, ANIMUS_HOME: join(directory, 'home'), ANIMUS_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await serving(child);
  return {
    cpuMs: () => processCpuMs(child.pid!),
    rssMb: () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function serving(child: ChildProcess): Promise<void> {
  let said = '';
  await new Promise<void>((done, fail) => {
    child.stderr!.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('ready for work')) done();
      said = said.slice(-10_000);
    });
    child.once('exit', (code) => fail(new Error(`the daemon ended with ${code}: ${said}`)));
  });
}
