import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrationStatus } from '../../src/store/migrations/compatibility.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { makeSite, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { MODEL, startModelServer, WIRE } from '../support/model-server/either-wire.ts';
import { checkOut, previousCommit } from '../support/previous-animus.ts';
import { recordStory, startEffectsServer } from '../support/workload/effects.ts';
import { workProgramme } from '../support/workload/programme.ts';
import { wrongs } from '../support/workload/verdict.ts';

const previous = previousCommit();
const title = 'missing' in previous ? `not tested: ${previous.missing}` : `commit ${previous.commit.slice(0, 7)}`;

describe.skipIf('missing' in previous || WIRE !== 'anthropic')(`the animus before this one (${title})`, () => {
  const pg = testDatabase({ empty: true });
  const refusing = testDatabase();

  it('goes on while this one upgrades the database under it, and the two share the work', async () => {
    const launcher = checkOut((previous as { commit: string }).commit);
    const { site, freshOnly } = await workshop(pg.database, pg.connectionString);
    const old = await startDaemon(site, [], {}, undefined, launcher);
    await recordStory(pg.database);
    await insert(pg.database, 'worker', 'mark', 30);
    await insert(pg.database, 'worker', 'wait', 10);
    await insert(pg.database, 'newcomer', 'mark', 5);
    await insert(pg.database, 'nobodys', 'mark', 1);
    await eventually('the old one is at work', async () => ((await overCount(pg.database)) >= 5 ? true : null));

    const current = await startDaemon(site, ['--faculties', freshOnly]);
    expect((await migrationStatus(pg.database)).staleFunctions).toEqual([]);
    await insert(pg.database, 'worker', 'mark', 30);
    await insert(pg.database, 'worker', 'flaky', 5);
    await eventually(
      'all but nobody’s work is over',
      async () => ((await overCount(pg.database)) === 80 ? true : null),
      90,
    );

    // Each did work after the upgrade; what the old one does not know it left alone, at no cost.
    const shares = await pg.database.query<{ faculty: string; daemons: number }>(
      `select w.faculty, count(distinct f.daemon_id)::int as daemons from animus.foci f join animus.work_items w on w.id = f.work_item_id
        group by w.faculty order by w.faculty`,
    );
    expect(shares).toEqual([
      { faculty: 'newcomer', daemons: 1 },
      { faculty: 'worker', daemons: 2 },
    ]);
    const [left] = await pg.database.query(
      `select state, attempts, lease_token from animus.work_items where faculty = 'nobodys'`,
    );
    expect(left).toEqual({ state: 'queued', attempts: 0, lease_token: null });
    await old.kill('SIGTERM');
    await current.kill('SIGTERM');
    expect([await old.exited, await current.exited]).toEqual([expect.anything(), 0]);
    await pg.database.query(`select animus.cancel_work(id) from animus.work_items where faculty = 'nobodys'`);
    expect(await wrongs(pg.database, join(site.directory, 'faculties', 'marks'))).toEqual([]);
    const failed = old
      .output()
      .split('\n')
      .filter((line) => /"level":"?(error|50)/.test(line));
    expect(failed).toEqual([]);
  }, 180_000);

  it('does not start on a database that needs a later one, and says so', async () => {
    const launcher = checkOut((previous as { commit: string }).commit);
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
  }, 60_000);
});

/** Faculty `worker` for both, `newcomer` in a directory of the current one's own. */
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
  const config = '[daemon]\nlease_seconds = 5\npoll_seconds = 0.3\nmax_concurrent = 3\n';
  const site = makeSite({ modelUrl: server.url, databaseUrl, config, faculties: {} });
  const workspace = join(site.directory, 'faculties');
  const file = (name: string) =>
    `[faculty]\nname = "${name}"\nworkspace = "${workspace}"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "Work."\n` +
    `tools = ["bash"]\nbash_isolation = "none"\n[faculty.recover]\nbase_seconds = 0.1\n`;
  writeFileSync(join(workspace, 'worker.toml'), file('worker'));
  const fresh = makeSite({
    modelUrl: server.url,
    databaseUrl,
    faculties: { worker: file('worker'), newcomer: file('newcomer') },
  });
  return { site, freshOnly: join(fresh.directory, 'faculties') };
}

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
