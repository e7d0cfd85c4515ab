import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { makeSite, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer } from '../support/model-server/either-wire.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { sleepingProcesses } from '../support/sleeping-processes.ts';

const CONFIG = '[daemon]\nlease_seconds = 5\npoll_seconds = 0.5\n';

/** One effect per item, in a file; then the end. The description contains the item's number. */
const programme: AnthropicProgramme = (body) => {
  const messages = body['messages'] as readonly { content: unknown }[];
  const number = /mark (\d+)/.exec(JSON.stringify(messages[0]))![1]!;
  if (messages.length > 1) return { content: [text(`Marked ${number}.`)] };
  return { content: [toolUse('mark', 'bash', { command: `echo ${number} >> ./marks` })] };
};

describe('several daemons on one Postgres', () => {
  const pg = testDatabase({ anew: true });

  it('killed at random, they lose none of 200 items and complete none twice', async () => {
    const server = await startModelServer(programme);
    onTestFinished(() => server.close());
    const site = workshop(server.url, pg.connectionString);
    const total = 200;
    let inserted = 0;
    const insert = async (count: number) => {
      await pg.database.query(
        `insert into animus.work_items (faculty, description) select 'marker', 'mark ' || i from generate_series($1::int, $2::int) i`,
        [inserted + 1, inserted + count],
      );
      inserted += count;
    };
    await insert(40);
    let daemons = await Promise.all([1, 2, 3].map(() => startDaemon(site, ['--max-concurrent', '6'])));
    const random = generator(20261121);
    let kills = 0;
    await eventually(
      'all items have ended',
      async () => {
        const ended = await endedCount(pg.database);
        if (ended >= total) return true;
        // After every twenty new items, while work is running, a random daemon is killed and another one started in its place.
        if (inserted < total && ended >= inserted - 20) {
          await insert(20);
          kills += 1;
          const victim = daemons[Math.floor(random() * daemons.length)]!;
          await victim.kill('SIGKILL');
          daemons = [
            ...daemons.filter((daemon) => daemon !== victim),
            await startDaemon(site, ['--max-concurrent', '6']),
          ];
        }
        return null;
      },
      240,
    );
    expect(kills).toBe(8);
    await expectEachOnce(pg.database, site, total);
  }, 300_000);

  it('one that is frozen past its lease changes nothing after it is resumed, and none of its processes outlives the lease', async () => {
    const nap = `3600.${process.pid}${Date.now() % 1000}`;
    let asked = 0;
    const server = await startModelServer(() => {
      asked += 1;
      if (asked > 1) return { content: [text('Done by the other.')] };
      return { content: [toolUse('nap', 'bash', { command: `sleep ${nap}` })] };
    });
    onTestFinished(() => server.close());
    const site = workshop(server.url, pg.connectionString);
    const frozen = await startDaemon(site);
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('marker', 'mark 9999') returning id`,
    );
    await eventually('the nap has begun', () => (sleepingProcesses(nap) > 0 ? true : null));
    await frozen.kill('SIGSTOP');
    await eventually(
      'the processes of the frozen daemon are gone',
      () => (sleepingProcesses(nap) === 0 ? true : null),
      15,
    );
    await startDaemon(site);
    await eventually('the other daemon completes the item', async () => {
      const [item] = await pg.database.query(`select from animus.work_items where id = $1 and state = 'completed'`, [
        row!.id,
      ]);
      return item ?? null;
    });
    const before = await everythingOf(pg.database, row!.id);
    await frozen.kill('SIGCONT');
    await eventually('the woken daemon finds out', () => (frozen.output().includes('lease') ? true : null));
    expect(await everythingOf(pg.database, row!.id)).toEqual(before);
  }, 180_000);

  it('after a network failure the foci stop before their leases can end; the work continues when the network is back', async () => {
    const server = await startModelServer(programme);
    onTestFinished(() => server.close());
    const proxy = await startPostgresProxy(pg.connectionString);
    const site = workshop(server.url, proxy.url);
    await startDaemon(site);
    await pg.database.query(`insert into animus.work_items (faculty, description) values ('marker', 'mark 1')`);
    await eventually('the first item ends', async () => ((await openCount(pg.database)) === 0 ? true : null));
    proxy.cut();
    await pg.database.query(`insert into animus.work_items (faculty, description) values ('marker', 'mark 2')`);
    proxy.mend();
    await eventually('the second item ends', async () => ((await openCount(pg.database)) === 0 ? true : null), 40);
  }, 180_000);
});

describe('Postgres', () => {
  it('is restarted under load, and its connections are terminated: nothing is lost', async () => {
    const postgres = await startPostgresServer();
    onTestFinished(() => postgres.stop());
    const database = openPostgres(postgres.url, { poolSize: 2 });
    onTestFinished(() => database.close());
    await migrate(database);
    const server = await startModelServer(programme);
    onTestFinished(() => server.close());
    const site = workshop(server.url, postgres.url);
    await startDaemon(site, ['--max-concurrent', '6']);
    const total = 60;
    await database.query(
      `insert into animus.work_items (faculty, description) select 'marker', 'mark ' || i from generate_series(1, $1::int) i`,
      [total],
    );
    await eventually('some have ended', async () => ((await endedCount(database)) >= 10 ? true : null), 60);
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'animus%' and pid <> pg_backend_pid()`,
    );
    await eventually('some more have ended', async () => ((await endedCount(database)) >= 20 ? true : null), 60);
    await postgres.stopServer();
    await postgres.startServer();
    await eventually(
      'all have ended',
      async () => {
        const ended = await endedCount(database).catch(() => 0); // its own connections were terminated too
        return ended >= total ? true : null;
      },
      120,
    );
    await expectEachOnce(database, site, total);
  }, 240_000);
});

function workshop(modelUrl: string, databaseUrl: string): Site {
  const site = makeSite({ modelUrl, databaseUrl, config: CONFIG, faculties: {} });
  const workspace = join(site.directory, 'faculties');
  writeFileSync(
    join(workspace, 'marker.toml'),
    `[faculty]\nname = "marker"\npermissions.bash = "auto"\ndescription = "Marks"\nworkspace = "${workspace}"\n[faculty.engage]\nmodel = "${MODEL}"\n` +
      `system_prompt = "Mark."\ntools = ["bash"]\nbash_isolation = "none"\n[faculty.recover]\nmax_attempts = 50\nbase_seconds = 0.1\n`,
  );
  return site;
}

/** Every item completed once: one outcome and one focus; its mark was made once, or reported as in doubt and made at most once. */
async function expectEachOnce(database: Database, site: Site, total: number): Promise<void> {
  const states = await database.query(
    `select state, count(*)::int as n from animus.work_items where description like 'mark %' group by state`,
  );
  expect(states).toEqual([{ state: 'completed', n: total }]);
  const items = await database.query<{ number: string; call: string; foci: number }>(
    `select split_part(w.description, ' ', 2) as number, t.state as call, (select count(*)::int from animus.foci f where f.work_item_id = w.id) as foci
       from animus.work_items w join animus.foci f on f.work_item_id = w.id join animus.tool_calls t on t.focus_id = f.id`,
  );
  const path = join(site.directory, 'faculties', 'marks');
  const marks = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  for (const item of items) {
    const times = marks.filter((mark) => mark === item.number).length;
    if (item.call === 'done') expect([item.number, times]).toEqual([item.number, 1]);
    else expect([item.number, item.call, times <= 1]).toEqual([item.number, 'in_doubt', true]);
  }
  expect(items).toHaveLength(total);
  const [left] = await database.query(
    `select (select count(*)::int from pgmq.q_animus_work) as messages, (select count(*)::int from animus.foci where ended_as is null) as open`,
  );
  expect(left).toEqual({ messages: 0, open: 0 });
}

async function endedCount(database: Database): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n from animus.work_items where resolved_at is not null`,
  );
  return row!.n;
}

async function openCount(database: Database): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n from animus.work_items where resolved_at is null`,
  );
  return row!.n;
}

/** Everything that is recorded about an item. */
async function everythingOf(database: Database, id: string): Promise<unknown> {
  return database.query(
    `select to_jsonb(w) as item, (select jsonb_agg(to_jsonb(f)) from animus.foci f where f.work_item_id = w.id) as foci,
            (select jsonb_agg(to_jsonb(t)) from animus.tool_calls t join animus.foci f on f.id = t.focus_id where f.work_item_id = w.id) as calls,
            (select jsonb_agg(to_jsonb(l)) from animus.work_ledger l where l.work_item_id = w.id) as ledger
       from animus.work_items w where id = $1`,
    [id],
  );
}

/** A small random number generator with a seed (mulberry32), so that a failure can be reproduced. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
