import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer, WIRE } from '../support/model-server/either-wire.ts';
import { recordStory } from '../support/workload/effects.ts';

const HOUR_MS = 3_600_000;
const SHIFT = join(import.meta.dirname, '../support/shifted-clock.mjs');
const FACULTY = `[faculty]\nname = "worker"\npermissions.bash = "auto"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "Work."\ntools = ["bash"]\nbash_isolation = "none"\n[faculty.awareness]\nenabled = false\n`;

describe.runIf(WIRE === 'anthropic')('daemons whose clocks are an hour fast or an hour slow', () => {
  const pg = testDatabase({ anew: true });

  it("keep their leases, and follow the database's time for work, waits and schedules", async () => {
    await recordStory(pg.database);
    const server = await startModelServer((body) => {
      const messages = messagesOf(body);
      const said = String(messages[0]!.content[0]!['text']);
      if (messages.length > 1) return { content: [text('Done.')] };
      if (said.includes('long')) return { content: [toolUse('c', 'bash', { command: 'sleep 7' })] };
      if (said.includes('later')) return { content: [toolUse('c', 'wait_until', { seconds: 2, reason: 'a test' })] };
      return { content: [toolUse('c', 'bash', { command: 'date -u' })] };
    });
    onTestFinished(() => server.close());
    const config = '[daemon]\nlease_seconds = 5\npoll_seconds = 0.3\n';
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config,
      faculties: { worker: FACULTY },
    });
    for (const shiftMs of [HOUR_MS, -HOUR_MS]) {
      await startDaemon(site, [], { NODE_OPTIONS: `--import=${SHIFT}`, CLOCK_SHIFT_MS: String(shiftMs) });
    }
    await pg.database.query(
      `insert into animus.work_items (faculty, description, run_at)
       select 'worker', d, case when d = 'delayed' then clock_timestamp() + interval '3 seconds' end
         from unnest(array['long', 'long', 'long', 'long', 'later', 'later', 'delayed', 'delayed']) d`,
    );
    await pg.database.query(
      `insert into animus.schedules (name, cron, faculty, description, missed) values ('ticks', '* * * * * *', 'worker', 'tick', 'once')`,
    );

    await eventually(
      'all is over, and the schedule has fired',
      async () => {
        const [row] = await pg.database.query<{ over: boolean }>(
          `select count(*) filter (where resolved_at is not null and source = 'sql') = 8
              and count(*) filter (where resolved_at is not null and source = 'schedule') >= 3 as over from animus.work_items`,
        );
        return row!.over ? true : null;
      },
      90,
    );
    const states = await pg.database.query(
      `select distinct state, attempts from animus.work_items where source = 'sql'`,
    );
    expect(states).toEqual([{ state: 'completed', attempts: 0 }]);
    // No lease was treated as expired, and nothing began before its time.
    expect(
      await pg.database.query(`select item from story where before in ('claimed', 'running') and after = 'claimed'`),
    ).toEqual([]);
    expect(
      await pg.database.query(
        `select item from story s join animus.work_items w on w.id = s.item where s.after = 'claimed' and s.at < w.run_at`,
      ),
    ).toEqual([]);
    const [waits] = await pg.database.query(
      `select count(*)::int as waits, bool_and(resolved_at between deadline and deadline + interval '20 seconds') as in_time from animus.waits`,
    );
    expect(waits).toEqual({ waits: 2, in_time: true });
    const [runs] = await pg.database.query(
      `select bool_and(recorded_at between due_at and due_at + interval '20 seconds') as in_time from animus.schedule_runs where result = 'fired'`,
    );
    expect(runs).toEqual({ in_time: true });
    const daemons = await pg.database.query(
      `select from animus.daemons where abs(extract(epoch from clock_timestamp() - seen_at)) < 60 and stopped_at is null`,
    );
    expect(daemons).toHaveLength(2);
    await pg.database.query(`update animus.schedules set paused = true`);
  }, 180_000);
});
