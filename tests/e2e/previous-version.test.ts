import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { migrationStatus } from '../../src/store/migrations/compatibility.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { type DaemonProcess, makeSite, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { MODEL, startModelServer, WIRE } from '../support/model-server/either-wire.ts';
import {
  checkOutPrevious,
  installPreviousPackages,
  missingPrevious,
  PREVIOUS_COMMIT,
} from '../support/previous-animus.ts';
import { recordStory, startEffectsServer } from '../support/workload/effects.ts';
import { workProgramme } from '../support/workload/programme.ts';
import { wrongs } from '../support/workload/verdict.ts';

const missing = missingPrevious();
const title = missing === null ? `commit ${PREVIOUS_COMMIT.slice(0, 7)}` : `NOT TESTED HERE: ${missing}`;

describe.skipIf(missing !== null || WIRE !== 'anthropic')(`the animus of version 0.1.0 (${title})`, () => {
  const pg = testDatabase({ empty: true, anew: true });
  const refusing = testDatabase({ anew: true });
  beforeAll(() => installPreviousPackages(), 300_000);

  it('keeps running while this one upgrades its database, clients insert throughout, and the two share the work', async () => {
    const launcher = checkOutPrevious();
    const { site, freshOnly } = await workshop(pg.database, pg.connectionString);
    const old = await startDaemon(site, [], {}, undefined, launcher);
    await recordStory(pg.database);
    const clients = startClients(pg.open());
    await insert(pg.database, 'worker', 'wait', 10);
    await insert(pg.database, 'newcomer', 'mark', 5);
    await insert(pg.database, 'nobodys', 'mark', 1);
    await eventually('the old one is at work', async () => ((await overCount(pg.database)) >= 5 ? true : null));

    const current = await startDaemon(site, ['--faculties', freshOnly]);
    expect((await migrationStatus(pg.database)).staleFunctions).toEqual([]);
    const upgradedAfter = clients.inserted();
    await insert(pg.database, 'worker', 'flaky', 5);
    // On the upgraded schema an old daemon can start, too, and one is killed during its work.
    const restarted = await startDaemon(site, [], {}, undefined, launcher);
    await eventually(
      'the restarted old one is at work',
      async () => ((await workOf(pg.database, restarted)) > 0 ? true : null),
      60,
    );
    await old.kill('SIGKILL');
    await eventually('clients have gone on', () => (clients.inserted() >= upgradedAfter + 20 ? true : null));
    expect(await clients.stop()).toEqual([]);
    const total = clients.inserted() + 20;
    await eventually(
      'all but nobody’s work is over',
      async () => ((await overCount(pg.database)) === total ? true : null),
      200,
    );

    // Each did work after the upgrade; the old ones left faculties that they do not know alone, at no cost.
    expect(await workOf(pg.database, current)).toBeGreaterThan(0);
    const [newcomers] = await pg.database.query(
      `select count(distinct f.daemon_id)::int as daemons from animus.foci f join animus.work_items w on w.id = f.work_item_id where w.faculty = 'newcomer'`,
    );
    expect(newcomers).toEqual({ daemons: 1 });
    const [left] = await pg.database.query(
      `select state, attempts, lease_token from animus.work_items where faculty = 'nobodys'`,
    );
    expect(left).toEqual({ state: 'queued', attempts: 0, lease_token: null });
    await restarted.kill('SIGTERM');
    await current.kill('SIGTERM');
    expect([await restarted.exited, await current.exited]).toEqual([expect.anything(), 0]);
    await pg.database.query(`select animus.cancel_work(id) from animus.work_items where faculty = 'nobodys'`);
    expect(await wrongs(pg.database, join(site.directory, 'faculties', 'marks'))).toEqual([]);
    for (const daemon of [old, restarted, current]) expect(errorsOf(daemon.output())).toEqual([]);
  }, 400_000);

  it('does not start on a database that needs a newer one, and says so', async () => {
    const launcher = checkOutPrevious();
    const { site } = await workshop(null, refusing.connectionString);
    await refusing.database.query(`update animus.settings set value = '9999' where key = 'min_client'`);
    await refusing.database.query(
      `insert into animus.schema_migrations (version, name, checksum) values (9999, '9999_need_later.sql', 'x')`,
    );
    const child = spawn(process.execPath, [launcher, 'serve'], { cwd: site.directory, env: { ...site.env } });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(stderr).toMatch(/the database needs an animus of schema version 9999 or later.*upgrade animus/);
    expect(code).toBe(5);
  }, 180_000);
});

/** Inserts work by SQL and through the inbox's old name, in turn, about seven times a second; `stop` returns the failures. */
function startClients(db: Database) {
  const errors: unknown[] = [];
  const ending = new AbortController();
  let inserted = 0;
  const client = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        if (inserted % 2 === 0) await insert(db, 'worker', 'mark', 1);
        else
          await db.query(
            `select pgmq.send('inbox', jsonb_build_object('faculty', 'worker', 'description', 'mark ' || gen_random_uuid()))`,
          );
        inserted++;
      } catch (error) {
        errors.push(error);
      }
      await systemClock.sleep(150, ending.signal);
    }
  };
  const running = client();
  onTestFinished(() => ending.abort());
  return {
    inserted: () => inserted,
    async stop() {
      ending.abort();
      await running;
      return errors;
    },
  };
}

/** Number of items with a focus that this daemon started or resumed. */
async function workOf(db: Database, daemon: DaemonProcess): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    'select count(*)::int as n from animus.foci f join animus.daemons d on d.id = f.daemon_id where d.pid = $1',
    [daemon.pid],
  );
  return row!.n;
}

/** A claim that is running when a migration adds a column to work_items is rolled back, and claimed again a second later. */
function errorsOf(output: string): string[] {
  return (
    output
      .split('\n')
      .filter((line) => /"level":"?(error|50)/.test(line))
      // On a slow machine a drain can meet the lock of a migration for its 100 ms: it is repeated.
      .filter((line) => !/cannot drain the inbox; trying again/.test(line) || !/due to lock timeout/.test(line))
      .filter(
        (line) => !/cannot claim work; trying again/.test(line) || !/structure of query does not match/.test(line),
      )
  );
}

/** Faculty `worker` for both; `newcomer` in a directory only of the current version. */
async function workshop(
  db: Database | null,
  databaseUrl: string,
): Promise<{ readonly site: Site; readonly freshOnly: string }> {
  let port = 1;
  if (db) {
    const effects = await startEffectsServer(db);
    onTestFinished(() => effects.close());
    port = effects.port;
  }
  const server = await startModelServer(workProgramme(port, '1').programme);
  onTestFinished(() => server.close());
  // Long enough for a slow machine: a lease that is lost there is an error in the log.
  const config = '[daemon]\nlease_seconds = 20\npoll_seconds = 0.3\nmax_concurrent = 3\n';
  const site = makeSite({ modelUrl: server.url, databaseUrl, config, faculties: {} });
  const workspace = join(site.directory, 'faculties');
  // The previous version knows no permissions.
  const file = (name: string, more = '') =>
    `[faculty]\nname = "${name}"\n${more}workspace = "${workspace}"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "Work."\n` +
    `tools = ["bash"]\nbash_isolation = "none"\n[faculty.recover]\nbase_seconds = 0.1\n`;
  writeFileSync(join(workspace, 'worker.toml'), file('worker'));
  const fresh = makeSite({
    modelUrl: server.url,
    databaseUrl,
    faculties: { worker: file('worker', ALLOWED), newcomer: file('newcomer', ALLOWED) },
  });
  return { site, freshOnly: join(fresh.directory, 'faculties') };
}

const ALLOWED = 'permissions.bash = "auto"\n';

async function insert(db: Database, faculty: string, kind: string, count: number): Promise<void> {
  await db.query(
    `insert into animus.work_items (faculty, description) select $1, $2 || ' ' || gen_random_uuid() from generate_series(1, $3::int)`,
    [faculty, kind, count],
  );
}

async function overCount(db: Database): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    'select count(*)::int as n from animus.work_items where resolved_at is not null',
  );
  return row!.n;
}
