import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/store/sql/database.ts';
import { type DaemonProcess, makeSite, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { MODEL, startModelServer, WIRE } from '../support/model-server/either-wire.ts';
import { type Moment, startPostgresProxy } from '../support/postgres-proxy.ts';
import { sleepingProcesses } from '../support/sleeping-processes.ts';
import { recordStory, startEffectsServer } from '../support/workload/effects.ts';
import { type Kind, workProgramme } from '../support/workload/programme.ts';
import { wrongs } from '../support/workload/verdict.ts';

/** Where a daemon is killed: before the call reaches the server, or after its commit and before the daemon knows. */
const POINTS: readonly (readonly [call: string, before: string, after: string, kind: Kind])[] = [
  ['claim_ready_work', 'before a claim', 'between claim and start', 'mark'],
  ['begin_foci', 'before a first start', 'between first start and request', 'mark'],
  ['begin_focus', 'before the start', 'between start and orientation', 'mark'],
  // Where a focus does not begin in one statement: at a second attempt.
  ['add_message', 'before the first message', 'between message and engage', 'flaky'],
  ['set_phase', 'before a phase', 'in a new phase', 'mark'],
  ['begin_turn', 'before a turn', 'between reservation and request', 'mark'],
  ['record_turn', 'between answer and record', 'between record and act', 'mark'],
  ['finish_tool_calls', 'between act and finish', 'between finish and the next turn', 'mark'],
  ['append_ledger', 'before a ledger entry', 'after a ledger entry', 'mark'],
  ['complete_batch', 'before complete and archive', 'after complete and archive', 'mark'],
  ['open_wait', 'before a wait', 'between wait and park', 'wait'],
  ['park_work', 'before the park', 'between park and wake', 'wait'],
  ['resolve_due_waits', 'before a wake', 'after a wake', 'wait'],
  ['fail_work', 'before a failure is told', 'between failure and retry', 'flaky'],
  ['release_work', 'before a release', 'after a release', 'slow'],
  ['end_cancelled', 'before a cancel', 'after a cancel', 'nap'],
  ['extend_leases', 'before a heartbeat', 'after a heartbeat', 'mark'],
  ['drain_inbox', 'before an inbox move', 'after an inbox move', 'mark'],
  ['fire_schedule', 'before a schedule fires', 'after a schedule fired', 'mark'],
];

// What this test proves does not depend on the wire format.
describe.runIf(WIRE === 'anthropic').each([
  { daemons: 2, moment: 'before' as const },
  { daemons: 3, moment: 'after' as const },
])('$daemons daemons, each killed $moment every point', ({ daemons, moment }) => {
  const pg = testDatabase({ anew: true });

  it('lose none of more than a hundred items, complete and act once, and leave no process', async () => {
    await recordStory(pg.database);
    const nap = `3600.${process.pid}${Date.now() % 10_000}`;
    const effects = await startEffectsServer(pg.database);
    const { programme } = workProgramme(effects.port, nap);
    const server = await startModelServer(programme);
    onTestFinished(async () => {
      await server.close();
      await effects.close();
    });
    const site = workshop(server.url, pg.connectionString);
    const fleet = await startFleet(site, pg.connectionString, daemons, moment);
    await pg.database.query(
      `insert into animus.schedules (name, cron, faculty, description, missed) values ('ticks', '* * * * * *', 'worker', 'mark tick', 'once')`,
    );
    const counts = { mark: 70, wait: 14, flaky: 14, slow: 14, nap: 6 } satisfies Record<Kind, number>;
    for (const [kind, count] of Object.entries(counts)) await insert(pg.database, kind as Kind, count);

    await eventually(
      'a daemon was killed at every point',
      async () => {
        await operate(pg.database, fleet.left());
        return fleet.left().length === 0 ? true : null;
      },
      300,
    ).catch((error: Error) => {
      throw new Error(`${error.message}; not yet: ${fleet.left().map(nameOf).join(', ')}`);
    });
    await pg.database.query(`update animus.schedules set paused = true`);
    await pg.database.query(`select animus.resume('slow')`);
    await eventually(
      'all work is over',
      async () => {
        await cancelNaps(pg.database);
        const [open] = await pg.database.query('select from animus.work_items where resolved_at is null limit 1');
        const [sent] = await pg.database.query('select from pgmq.q_animus_inbox limit 1');
        return open === undefined && sent === undefined ? true : null;
      },
      120,
    );
    await fleet.stop();

    expect(await wrongs(pg.database, join(site.directory, 'faculties', 'marks'))).toEqual([]);
    const [total] = await pg.database.query<{ n: number }>('select count(*)::int as n from animus.work_items');
    expect(total!.n).toBeGreaterThan(100);
    expect(fleet.met().map(nameOf).toSorted()).toEqual(POINTS.map((point) => nameOf(point)).toSorted());
    expect(sleepingProcesses(nap)).toBe(0);

    function nameOf([, before, after]: (typeof POINTS)[number]): string {
      return moment === 'before' ? before : after;
    }
  }, 500_000);
});

interface Fleet {
  left(): (typeof POINTS)[number][];
  met(): (typeof POINTS)[number][];
  stop(): Promise<void>;
}

/** Daemons, each behind a proxy, are killed when a point is reached and started again, at most two at a time. */
async function startFleet(site: Site, databaseUrl: string, size: number, moment: Moment): Promise<Fleet> {
  const left = [...POINTS];
  const met: (typeof POINTS)[number][] = [];
  const running = new Map<number, DaemonProcess>();
  const restarts = new Set<Promise<void>>();
  let down = 0;
  let failure: unknown = null;
  const proxies = await Promise.all(Array.from({ length: size }, () => startPostgresProxy(databaseUrl)));

  async function run(slot: number): Promise<void> {
    let pid: number | null = null;
    let killed = false;
    proxies[slot]!.watch((call, at) => {
      if (killed) return 'cut';
      const index = left.findIndex((point) => point[0] === call);
      if (index < 0 || at !== moment || pid === null || !running.has(slot) || down >= 2) return 'pass';
      met.push(...left.splice(index, 1));
      killed = true;
      down += 1;
      running.delete(slot);
      process.kill(pid, 'SIGKILL');
      const restart = run(slot)
        .then(() => {
          down -= 1;
        })
        .catch((error: unknown) => {
          failure = error;
        })
        .finally(() => restarts.delete(restart));
      restarts.add(restart);
      return 'cut';
    });
    const daemon = await startDaemon(site, [], { DATABASE_URL: proxies[slot]!.url }, (spawned) => {
      pid = spawned;
      killed = false;
    });
    running.set(slot, daemon);
  }

  await Promise.all(proxies.map((_, slot) => run(slot)));
  return {
    left() {
      if (failure !== null) throw failure;
      return [...left];
    },
    met: () => [...met],
    async stop() {
      await Promise.all(restarts);
      for (const daemon of running.values()) await daemon.kill('SIGTERM');
    },
  };
}

/** What people do meanwhile: pause and resume, cancel, send messages, and submit more work of the kinds that are still needed. */
async function operate(db: Database, left: readonly (typeof POINTS)[number][]): Promise<void> {
  await cancelNaps(db);
  const wants = (call: string) => left.some((point) => point[0] === call);
  if (wants('drain_inbox')) {
    await db.query(
      `select pgmq.send('animus_inbox', '{"faculty": "worker", "description": "mark mail"}') where (select count(*) from pgmq.q_animus_inbox) < 3`,
    );
  }
  if (!wants('fire_schedule')) await db.query(`update animus.schedules set paused = true where not paused`);
  const [held] = await db.query(
    `select from animus.pauses where faculty = 'slow' and created_at < animus.now() - interval '200 ms'`,
  );
  const [paused] = await db.query(`select from animus.pauses where faculty = 'slow'`);
  if (held) await db.query(`select animus.resume('slow')`);
  else if (!paused && left.some((point) => point[3] === 'slow')) await db.query(`select animus.pause('slow')`);
  for (const kind of new Set(left.map((point) => point[3]))) {
    const [some] = await db.query('select from animus.work_items where description like $1 and resolved_at is null', [
      `${kind} %`,
    ]);
    if (!some) await insert(db, kind, 3);
  }
}

async function cancelNaps(db: Database): Promise<void> {
  await db.query(`select animus.cancel_work(w.id, 'awake') from animus.work_items w join animus.foci f on f.work_item_id = w.id
     where w.description like 'nap %' and w.state = 'running' and w.cancel_requested_at is null and w.turns > 0`);
}

/** Faculty `slow` is separate, so that it can be paused alone; rare kinds go first. */
async function insert(db: Database, kind: Kind, count: number): Promise<void> {
  await db.query(
    `insert into animus.work_items (faculty, description, priority)
     select $1, $2 || ' ' || gen_random_uuid(), $4 from generate_series(1, $3::int)`,
    [kind === 'slow' ? 'slow' : 'worker', kind, count, kind === 'mark' ? 0 : 1],
  );
}

function workshop(modelUrl: string, databaseUrl: string): Site {
  const config = '[daemon]\nlease_seconds = 5\npoll_seconds = 0.3\nmax_concurrent = 6\n';
  const site = makeSite({ modelUrl, databaseUrl, config, faculties: {} });
  const workspace = join(site.directory, 'faculties');
  for (const name of ['worker', 'slow']) {
    writeFileSync(
      join(workspace, `${name}.toml`),
      `[faculty]\nname = "${name}"\npermissions.bash = "auto"\nworkspace = "${workspace}"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "Work."\n` +
        `tools = ["bash", "list_dir"]\nbash_isolation = "none"\n[faculty.recover]\nmax_attempts = 100\nbase_seconds = 0.1\nmax_seconds = 1\n`,
    );
  }
  return site;
}
