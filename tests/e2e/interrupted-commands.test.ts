import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually, processesWith } from '../process/live-processes.ts';
import { sharedCompileCache } from '../support/compile-cache.ts';
import { LAUNCHER } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { copyEmbeddedDatabase } from '../support/embedded-template.ts';

// Ctrl-C at a random moment of the real process: nothing may be left behind. The delay is what is tested, not a wait.
const SCRIPT = '[[answer]]\ntext = "Done."\n';
const FACULTY =
  '[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["bash"]\n';
/** Each test run interrupts at other moments. Increase the number of trials on a machine that has time. */
const TRIALS = Number(process.env['ANIMUS_TEST_TRIALS'] ?? 1);
const target = testDatabase();
const fresh = testDatabase({ empty: true });

let root: string;
let id: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'interrupted-'));
  mkdirSync(join(root, 'site/faculties'), { recursive: true });
  writeFileSync(join(root, 'site/faculties/clerk.toml'), FACULTY);
  writeFileSync(join(root, 'site/play.toml'), SCRIPT);
  writeFileSync(
    join(root, 'site/animus.toml'),
    '[daemon]\nhttp = "off"\n[providers.play]\nkind = "scripted"\nscript = "play.toml"\n',
  );
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('nobody', 'x') returning id`,
  );
  id = row!.id;
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('interrupted at a random moment', () => {
  // How long each takes in milliseconds on an idle machine; some never end.
  test.each([
    [['status'], 500],
    [['status', '--watch'], 2500],
    [['work', 'submit', 'nobody', 'y', '--wait'], 2000],
    [['work', 'list'], 500],
    [['work', 'show', 'ID'], 500],
    [['work', 'tail', 'ID'], 2000],
    [['work', 'cancel', 'ID'], 500],
    [['work', 'retry', 'ID'], 500],
    [['pause', 'x'], 500],
    [['resume', 'x'], 500],
    [['schedule', 'add', 'NEW', '@daily', 'clerk'], 500],
    [['ledger', 'append', 'ID', 'note', 'z'], 500],
    [['faculty', 'check'], 500],
    [['faculty', 'show', 'clerk'], 500],
    [['models'], 400],
    [['config'], 400],
    [['doctor'], 800],
    [['db', 'status'], 500],
    [['completion', 'words', '--', 'work', 'show', ''], 500],
    [['serve'], 3000],
  ])(
    'animus %j on a server leaves nothing behind',
    async (argv, longestMs) => {
      for (let n = 0; n < TRIALS; n++) {
        await interrupt(trial({ DATABASE_URL: target.connectionString }), argv.map(spelledOut), longestMs);
      }
      const stuck = await target.database.query(
        `select id, state from animus.work_items where state in ('claimed', 'running')`,
      );
      expect(stuck).toEqual([]);
      const up = await target.database.query('select pid from animus.daemons where stopped_at is null');
      expect(up).toEqual([]);
    },
    60_000,
  );

  test(
    'a migration is complete or has changed nothing, and the next call finishes it',
    async () => {
      const at = { DATABASE_URL: fresh.connectionString };
      for (let n = 0; n < 2 * TRIALS; n++) await interrupt(trial(at), ['db', 'migrate'], 1500);
      const last = animus(trial(at), ['db', 'migrate']);
      expect((await once(last.process, 'exit'))[0]).toBe(0);
      const status = animus(trial(at), ['db', 'status', '--json']);
      expect(JSON.parse(await text(status.process.stdout!))).toMatchObject({ current: true });
    },
    60_000 * TRIALS,
  );

  test.each([
    [['status'], 'new', 3000],
    [['status', '--watch'], 'copied', 3000],
    [['work', 'submit', 'clerk', 'x'], 'copied', 1500],
    [['serve'], 'copied', 4000],
    [['demo'], 'new', 6000],
    [['faculty', 'test', 'clerk', 'play.toml'], 'new', 6000],
  ] as const)(
    'animus %j on a %s embedded database leaves nothing, and the next command works',
    async (argv, home, longestMs) => {
      for (let n = 0; n < TRIALS; n++) await leavesNothing(argv, home, longestMs);
    },
    90_000 * TRIALS,
  );
});

async function leavesNothing(argv: readonly string[], home: 'new' | 'copied', longestMs: number): Promise<void> {
  const where = trial();
  if (home === 'copied') copyEmbeddedDatabase(where.home);
  await interrupt(where, argv, longestMs);
  const next = animus(where, ['status']);
  const [stderr, [code]] = await Promise.all([text(next.process.stderr!), once(next.process, 'exit')]);
  expect([code, stderr.replace(/^animus: creating a new embedded database.*\n/, '')]).toEqual([0, '']);
  expect(readdirSync(where.home).toSorted()).toEqual(['db', 'db.lock']);
}

interface Trial {
  readonly home: string;
  readonly temporary: string;
  readonly env: Record<string, string>;
}

/** A home that does not exist yet, an empty directory for temporary files, and a token that marks the trial's processes. */
function trial(env: Record<string, string> = {}): Trial {
  const token = `trial-${randomUUID()}`;
  const temporary = join(root, token, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const home = join(root, token, 'home');
  return { home, temporary, env: { ...env, ANIMUS_HOME: home, TMPDIR: temporary } };
}

function animus(where: Trial, argv: readonly string[]): { process: ChildProcess; home: string } {
  const { PATH } = process.env;
  const env = { PATH, HOME: root, ...sharedCompileCache(), ...where.env };
  const cwd = join(root, 'site');
  return {
    process: spawn(process.execPath, [LAUNCHER, ...argv], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }),
    home: where.home,
  };
}

async function interrupt(where: Trial, argv: readonly string[], longestMs: number): Promise<void> {
  const child = animus(where, argv).process;
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stdout, stderr] = [text(child.stdout!), text(child.stderr!)];
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const afterMs = Math.round(Math.random() * longestMs);
  await Promise.race([ended, delay(afterMs)]);
  const hadEnded = child.exitCode !== null;
  child.kill('SIGINT');
  const interruptedAtMs = performance.now();
  const [code, signal] = await ended;
  const told = `${argv.join(' ')} after ${afterMs} ms: ${code ?? signal}\n${await stderr}`;
  // Before it handles signals, the signal itself ends it. A daemon that has drained exits with 0.
  const good = signal === 'SIGINT' || code === 130 || (argv[0] === 'serve' && code === 0);
  // A command that is about to end may have done its work already.
  expect(good || hadEnded || (code !== null && code <= 5 && !/internal error/.test(told)), told).toBe(true);
  // Far longer than it takes, and shorter than what the command would wait for if it ignored the signal.
  expect(performance.now() - interruptedAtMs, told).toBeLessThan(60_000);
  expect(told).not.toMatch(/internal error|\n {4}at /);
  await stdout;
  await eventually(
    () => processesWith(where.temporary),
    (pids) => pids.length === 0,
  );
  expect(readdirSync(where.temporary), told).toEqual([]);
}

function spelledOut(word: string): string {
  if (word === 'ID') return id;
  return word === 'NEW' ? `s${randomUUID()}` : word;
}
