import { randomUUID } from 'node:crypto';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createRecurringFindings } from '../../../src/daemon/timers/recurring-findings.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { clearWork } from '../../support/clear-work.ts';
import { testDatabase } from '../../support/database.ts';
import { recordFindings } from '../findings/record-findings.ts';

const target = testDatabase();
const SETTINGS = { propose: true, proposeThreshold: 3, proposeWindowDays: 30, proposeIntervalSeconds: 600 };
const clock = ['The clock of the server drifts', 'the server clock drifts', 'Server: the clock drifts'];

beforeEach(async () => {
  await clearWork(target.database);
  await target.database.query('delete from animus.proposed_findings');
  await target.database.query('delete from animus.finding_watch');
});

/** A service whose looks the test starts; `settings` and `faculties` may be changed. */
async function startDaemon(db: Database = target.database) {
  const rounds: (() => void)[] = [];
  const warnings: string[] = [];
  const sleeps: number[] = [];
  const daemon = {
    settings: SETTINGS,
    faculties: new Map<string, Pick<Faculty, 'skillCreation'>>([['scribe', { skillCreation: 'ask' }]]),
    warnings,
    sleeps,
    /** Lets it look once, and waits until it has. */
    async look(): Promise<void> {
      await expect.poll(() => rounds.length).toBe(1);
      rounds.shift()?.();
      await expect.poll(() => rounds.length).toBe(1);
    },
    stop: () => service.stop(),
  };
  const service = createRecurringFindings({
    db,
    clock: {
      ...systemClock,
      sleep: (ms, signal) =>
        new Promise<void>((resolve) => {
          sleeps.push(ms);
          rounds.push(resolve);
          signal?.addEventListener('abort', () => resolve(), { once: true });
        }),
    },
    log: { ...silentLog, warn: (_fields, message) => void warnings.push(message) },
    daemonId: randomUUID(),
    models: { embedder: null, explain: () => '' },
    registration: { faculties: () => daemon.faculties },
    settings: () => daemon.settings,
  });
  await service.start();
  onTestFinished(() => service.stop());
  return daemon;
}

const proposals = async () =>
  (await target.database.query(`select from animus.work_items where faculty = 'scribe'`)).length;
const find = (texts: readonly string[]) =>
  recordFindings(
    target.database,
    texts.map((text) => ({ text })),
  );

test('a daemon proposes where it has the scribe and may, as the configuration says now', async () => {
  await find(clock);
  const daemon = await startDaemon();
  daemon.faculties.delete('scribe');
  await daemon.look();
  daemon.faculties.set('scribe', { skillCreation: 'no' });
  await daemon.look();
  daemon.faculties.set('scribe', { skillCreation: 'auto' });
  daemon.settings = { ...SETTINGS, propose: false };
  await daemon.look();
  daemon.settings = { ...SETTINGS, proposeThreshold: 4 };
  await daemon.look();
  expect(await proposals()).toBe(0);
  daemon.settings = { ...SETTINGS, proposeIntervalSeconds: 100 };
  await daemon.look();
  expect(await proposals()).toBe(1);
  expect(daemon.sleeps.at(0)).toBeGreaterThan(440_000);
  expect(daemon.sleeps.at(-1)).toBeLessThan(130_000);
});

test('of several daemons one looks, and another goes on when it stops, loses the scribe or dies', async () => {
  const [one, two, three] = [await startDaemon(), await startDaemon(), await startDaemon()];
  await one.look();
  await find(clock);
  await two.look();
  expect(await proposals()).toBe(0);
  await one.stop();
  await two.look();
  expect(await proposals()).toBe(1);
  const subjects = [
    ['npm ci fails behind the proxy', 'behind the proxy npm ci fails', 'npm ci: fails, proxy'],
    ['The index was built concurrently', 'index: built concurrently', 'built the index concurrently'],
  ];
  await find(subjects[0]!);
  two.faculties.delete('scribe');
  await three.look();
  expect(await proposals()).toBe(1);
  await two.look();
  await three.look();
  expect(await proposals()).toBe(2);
  // It dies: its time is over.
  await find(subjects[1]!);
  await target.database.query('update animus.finding_watch set until = animus.now()');
  two.faculties.set('scribe', { skillCreation: 'ask' });
  await two.look();
  expect(await proposals()).toBe(3);
});

test('a database that fails is reported, and the next look goes on', async () => {
  await find(clock);
  let broken = true;
  const db: Database = {
    ...target.database,
    query: (sql, ...rest) =>
      broken && sql.includes('propose_skill')
        ? Promise.reject(new Error('no disk'))
        : target.database.query(sql, ...rest),
  };
  const daemon = await startDaemon(db);
  await daemon.look();
  expect(daemon.warnings).toEqual(['could not look for findings that recur; trying again']);
  broken = false;
  await daemon.look();
  expect(await proposals()).toBe(1);
});
