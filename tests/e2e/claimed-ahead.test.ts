/** What daemons claim ahead of their free slots is run once, by whoever is there. */
import { describe, expect, it } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { letKilledDaemonBeGone } from '../support/killed-daemons.ts';

const CONFIG = '[daemon]\nhttp = "off"\n[providers.play]\nkind = "scripted"\nscript = "script.toml"\n';
const SCRIPT = `
[[answer]]
when = { task_contains = "slow" }
delay_ms = 300
text = "Done, slowly."
[[answer]]
when = { task_contains = "stands still" }
delay_ms = 600000
text = "Never."
[[answer]]
text = "Done."
`;

const pg = testDatabase({ anew: true });

const faculty = (name: string, more = '') =>
  `[faculty]\nname = "${name}"\n${more}\n[faculty.engage]\nmodel = "play/any"\nsystem_prompt = "p"\n`;

const site = (more = '', script = SCRIPT) =>
  makeSite({
    modelUrl: null,
    databaseUrl: pg.connectionString,
    config: CONFIG,
    files: { 'script.toml': script },
    faculties: { fast: faculty('fast', more), slow: faculty('slow') },
  });

const insert = (name: string, count: number) =>
  pg.database.query(
    `insert into animus.work_items (faculty, description) select $1, $1 from generate_series(1, $2::int)`,
    [name, count],
  );

/** Resolves when so many with one of these descriptions have ended. */
const ended = (descriptions: readonly string[], count: number) =>
  eventually(
    `${count} have ended`,
    async () => {
      const [row] = await pg.database.query<{ ended: number }>(
        'select count(*)::int as ended from animus.work_items where resolved_at is not null and description = any ($1)',
        [descriptions],
      );
      return row!.ended === count ? true : null;
    },
    120,
  );

describe('items that are claimed ahead', () => {
  it('leave a slow queue its slots, and two daemons run each item once', async () => {
    const place = site();
    await Promise.all([1, 2].map(() => startDaemon(place, ['--max-concurrent', '4'])));
    await insert('fast', 200);
    await insert('slow', 12);
    await insert('fast', 100);
    await ended(['fast', 'slow'], 312);
    expect(
      await pg.database.query(
        `select w.faculty, w.state, w.attempts, w.deaths, count(*)::int as items, max(f.foci)::int as foci
           from animus.work_items w, lateral (select count(*) as foci from animus.foci f where f.work_item_id = w.id) f group by 1, 2, 3, 4 order by 1`,
      ),
    ).toEqual([
      { faculty: 'fast', state: 'completed', attempts: 0, deaths: 0, items: 300, foci: 1 },
      { faculty: 'slow', state: 'completed', attempts: 0, deaths: 0, items: 12, foci: 1 },
    ]);
    const daemons = await pg.database.query(`select daemon_id from animus.foci group by 1`);
    expect(daemons).toHaveLength(2);
  });

  it('go back untouched when their daemon is killed', async () => {
    await pg.database.transaction(async (tx) => {
      await tx.query(
        `insert into animus.work_items (faculty, description, priority) select 'fast', 'stands still', 1 from generate_series(1, 2)`,
      );
      await tx.query(
        `insert into animus.work_items (faculty, description) select 'fast', 'quick' from generate_series(1, 30)`,
      );
    });
    // By number: how many wait does not depend on how fast this machine is. After a claim that brings nothing, a daemon takes none ahead, so the
    // items are there before it.
    const first = await startDaemon(site('prefetch = 40'), ['--max-concurrent', '2']);
    await eventually('both slots are taken and others wait', async () => {
      const [row] = await pg.database.query<{ running: number; claimed: number }>(
        `select count(*) filter (where state = 'running' and description = 'stands still')::int as running, count(*) filter (where state = 'claimed')::int as claimed from animus.work_items`,
      );
      return row!.running === 2 && row!.claimed > 0 ? true : null;
    });
    await first.kill('SIGKILL');
    await letKilledDaemonBeGone(pg.database);
    await startDaemon(site('', '[[answer]]\ntext = "Done."\n'), ['--max-concurrent', '2']);
    await ended(['stands still', 'quick'], 32);
    expect(
      await pg.database.query(
        `select w.description, w.state, w.attempts, w.deaths, w.unstarted_claims, count(*)::int as items, max(f.foci)::int as foci
           from animus.work_items w, lateral (select count(*) as foci from animus.foci f where f.work_item_id = w.id) f
          where w.description in ('stands still', 'quick') group by 1, 2, 3, 4, 5 order by 1`,
      ),
    ).toEqual([
      { description: 'quick', state: 'completed', attempts: 0, deaths: 0, unstarted_claims: 0, items: 30, foci: 1 },
      {
        description: 'stands still',
        state: 'completed',
        attempts: 0,
        deaths: 1,
        unstarted_claims: 0,
        items: 2,
        foci: 1,
      },
    ]);
  });
});
