import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { type DaemonProcess, startDaemon } from '../support/daemon-process.ts';
import { startBatchServer } from '../support/model-server/batch-server.ts';
import { startModelServer } from '../support/model-server/either-wire.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { sleepingProcesses } from '../support/sleeping-processes.ts';
import { recordStory, startEffectsServer } from '../support/workload/effects.ts';
import { workProgramme } from '../support/workload/programme.ts';
import { storyOf, wrongs } from '../support/workload/verdict.ts';
import { type Load, startApplication } from './company/application.ts';
import { companyFigures } from './company/company-figures.ts';
import { beginSubscription, type Company, startCompany } from './company/company-server.ts';
import { compareSubscriber, wrongCompany, wrongOutputs } from './company/company-verdict.ts';
import { delaysOf, prepareTroubles, recorded } from './delays.ts';
import { figuresOf, retried, say, someOfEach, told } from './figures.ts';
import { hazardAnswer, PRELOAD, prepareSlowDisk, writeHazards, wrongHazards } from './hazards.ts';
import { cancelNaps, PAUSES_ONLY, round } from './submissions.ts';
import { drawTrouble, pause, type Slot, TROUBLES, type Trouble } from './trouble.ts';
import { LEASE_SECONDS, workshop } from './workshop.ts';
import { craftAnswer, personAtWork, wrongWorktrees } from './worktree-work.ts';

const MINUTES = Number(process.env['ANIMUS_SOAK_MINUTES'] ?? 10);
/** A server as a company has it, and the load of its application. */
const COMPANY = process.env['ANIMUS_SOAK_COMPANY'] === '1';
const DAEMONS = PAUSES_ONLY ? 2 : 3;
/** The part of the time at the beginning without troubles and hazards, as the floor of a comparison. */
const CALM_MS = PAUSES_ONLY ? MINUTES * 60_000 * 0.15 : 0;

test(
  `${DAEMONS} daemons lose nothing and do nothing twice in ${MINUTES} minutes with faults`,
  async () => {
    const company = COMPANY ? await startCompany() : null;
    const postgres = company?.postgres ?? (await startPostgresServer());
    onTestFinished(() => postgres.stop());
    const db = openPostgres(company?.adminUrl ?? postgres.url, { poolSize: 4, applicationName: 'animus soak' });
    onTestFinished(() => db.close());
    if (company === null) await migrate(db);
    await recordStory(db);
    await prepareSlowDisk(db);
    await prepareTroubles(db);
    if (company !== null) await beginSubscription(company, db);
    const url = company?.ownerUrl ?? postgres.url;
    const nap = `3600.${process.pid}${Date.now() % 10_000}`;
    const effects = await startEffectsServer(db);
    onTestFinished(() => effects.close());
    const { programme } = workProgramme(effects.port, nap);
    const server = await (COMPANY ? startBatchServer : startModelServer)(
      (body, ...more) => hazardAnswer(body) ?? craftAnswer(body) ?? programme(body, ...more),
    );
    onTestFinished(() => server.close());
    const { site, repo } = workshop(server.url, url, COMPANY);
    await writeHazards(site);
    const start = async (slot: Slot) => {
      slot.daemon = await retried(() => startDaemon(site, [], { DATABASE_URL: slot.proxy.url, NODE_OPTIONS: PRELOAD }));
      daemons.push(slot.daemon);
    };
    const daemons: DaemonProcess[] = [];
    const slots: Slot[] = [];
    for (let n = 0; n < DAEMONS; n++) {
      const proxy = await startPostgresProxy(url);
      const daemon = await startDaemon(site, [], { DATABASE_URL: proxy.url, NODE_OPTIONS: PRELOAD });
      slots.push({ proxy, daemon });
      daemons.push(daemon);
    }
    const load = company && (await startApplication(company, db, site));

    const manager = { ending: false, restarts: 0 };
    const managing = serviceManager(slots, start, manager);
    const counts = new Map<Trouble, number>();
    const startedMs = performance.now();
    const elapsedMs = () => performance.now() - startedMs;
    const operators = { ending: false, calm: true, worktrees: 0 };
    const operating = operate(db, repo, operators);
    await pause(CALM_MS);
    operators.calm = false;
    const [calm] = await db.query<{ until: Date }>('select now() as until');
    let toldMs = 0;
    while (elapsedMs() < MINUTES * 60_000) {
      await pause(PAUSES_ONLY ? 5000 + Math.random() * 20_000 : 500 + Math.random() * 4000);
      const trouble = drawTrouble(Math.random, PAUSES_ONLY);
      await recorded(db, trouble, () =>
        TROUBLES[trouble]({ slots, postgres, db, leaseSeconds: LEASE_SECONDS, start, random: Math.random }),
      );
      counts.set(trouble, (counts.get(trouble) ?? 0) + 1);
      if (elapsedMs() - toldMs < 15_000) continue;
      toldMs = elapsedMs();
      say(
        `${(toldMs / 60_000).toFixed(1)} min: ${await retried(() => figuresOf(db))}; ${told(counts, manager.restarts)}`,
      );
    }
    operators.ending = true;
    await operating;
    await load?.end();
    say('no more trouble and no more new work; waiting for the end of what is open');
    const over = await endOf(db, 180);
    await load?.close();
    manager.ending = true;
    await managing;
    for (const { daemon } of slots) await daemon.kill('SIGTERM');

    say('all daemons have ended; looking for what is wrong');
    const found = await wrongs(db, join(site.directory, 'faculties', 'marks'));
    found.push(...(await wrongHazards(db)));
    found.push(...(await wrongWorktrees(db, repo, operators.worktrees)));
    if (company !== null) found.push(...(await wrongInCompany(company, load!, db, daemons, counts)));
    if (!over) found.push('work is still open, and for three minutes none has ended');
    if (sleepingProcesses(nap) > 0) found.push(`${sleepingProcesses(nap)} processes of daemons are still alive`);
    say(`\nat the end: ${await figuresOf(db)}\ntroubles: ${told(counts, manager.restarts)}`);
    say(await delaysOf(db, calm!.until));
    say(`items lost or done twice: ${found.length}`);
    for (const line of someOfEach(found)) say(`\n${line}\n${await storyOf(db, line.slice(0, 36))}`);
    expect(found).toEqual([]);
  },
  (MINUTES + 30) * 60_000,
);

/** What only a company's server can show; tells its figures. */
async function wrongInCompany(
  company: Company,
  load: Load,
  db: Database,
  daemons: readonly DaemonProcess[],
  counts: ReadonlyMap<Trouble, number>,
): Promise<string[]> {
  say('waiting for the subscriber');
  const { found, rows } = await compareSubscriber(db, company);
  say(`\n${await companyFigures(db, load, rows, counts)}`);
  return [...found, ...(await wrongCompany(db, load)), ...wrongOutputs(daemons)];
}

/** Submits work, cancels naps and a few others, pauses and resumes, retries cancelled work, uses `git worktree`, until `ending`. */
async function operate(
  db: Database,
  repo: string,
  operators: { readonly ending: boolean; readonly calm: boolean; worktrees: number },
): Promise<void> {
  for (let n = 0; !operators.ending; n++) {
    await pause(200);
    operators.worktrees = personAtWork(repo, n);
    // The server is away from time to time: the next round repeats it.
    await round(db, n, operators.calm).catch(() => {});
  }
  await retried(() => db.query(`select animus.resume('slow')`));
  await retried(() => db.query(`update animus.schedules set paused = true`));
}

/** As a service manager would: a daemon that has ended by itself is started again. */
async function serviceManager(
  slots: readonly Slot[],
  start: (slot: Slot) => Promise<void>,
  means: { ending: boolean; restarts: number },
): Promise<void> {
  while (!means.ending) {
    await pause(500);
    for (const slot of slots) {
      if (!slot.daemon.output().includes('has been blocked for too long: ending the process')) continue;
      const { daemon } = slot;
      await daemon.exited;
      if (slot.daemon !== daemon) continue;
      means.restarts += 1;
      await start(slot);
    }
  }
}

/** False: work is open, and for so many seconds none has ended. */
async function endOf(db: Database, seconds: number): Promise<boolean> {
  let [left, deadlineMs] = [Number.POSITIVE_INFINITY, 0];
  for (;;) {
    await cancelNaps(db);
    const [row] = await db.query<{ n: number }>(
      `select (select count(*) from animus.work_items where resolved_at is null)::int + (select count(*) from pgmq.q_animus_inbox)::int as n`,
    );
    if (row!.n === 0) return true;
    if (row!.n < left) [left, deadlineMs] = [row!.n, performance.now() + seconds * 1000];
    if (performance.now() > deadlineMs) return false;
    await pause(500);
  }
}
