/** A disk on which commits take long costs time, and nothing else. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';

const FOCI = 12;
const TURNS = 4;

describe('commits that take', () => {
  const pg = testDatabase({ anew: true });

  it.each([
    { seconds: 0.4, leaseSeconds: 5 },
    { seconds: 1.5, leaseSeconds: 5 },
  ])(
    '$seconds s end no lease of $leaseSeconds s, and no answer is bought twice',
    async ({ seconds, leaseSeconds }) => {
      await pg.database.query(slowCommits(seconds));
      onTestFinished(async () => {
        await pg.database.query('drop function public.commit_slowly() cascade');
        await pg.database.query('delete from animus.work_items');
      });
      const server = await startModelServer((body) => {
        const turn = messagesOf(body).filter(({ role }) => role === 'assistant').length;
        if (turn >= TURNS - 1) return { content: [text('Done.')] };
        return { content: [toolUse(`call-${turn}`, 'bash', { command: 'true' })] };
      });
      onTestFinished(() => server.close());
      const site = makeSite({
        modelUrl: server.url,
        databaseUrl: pg.connectionString,
        config: `[daemon]\nlease_seconds = ${leaseSeconds}\npoll_seconds = 0.5\nhttp = "off"\n`,
        faculties: {
          clerk: `[faculty]\nname = "clerk"\npermissions.bash = "auto"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "You work."\ntools = ["bash"]\nbash_isolation = "none"\n`,
        },
      });
      const daemons = await Promise.all([1, 2].map(() => startDaemon(site, ['--max-concurrent', '6'])));
      await pg.database.query(
        `insert into animus.work_items (faculty, description) select 'clerk', 'work ' || i from generate_series(1, $1::int) i`,
        [FOCI],
      );
      const items = await eventually(
        'all items end',
        async () => {
          const rows = await pg.database.query(
            `select state, attempts, crashes, turns, error ->> 'message' as error from animus.work_items where faculty = 'clerk' and resolved_at is not null`,
          );
          return rows.length === FOCI ? rows : null;
        },
        240,
      );
      expect(new Set(items.map((item) => JSON.stringify(item)))).toEqual(
        new Set([JSON.stringify({ state: 'completed', attempts: 0, crashes: 0, turns: TURNS, error: null })]),
      );
      expect(server.requests).toHaveLength(FOCI * TURNS);
      for (const daemon of daemons) expect(daemon.output()).not.toMatch(/the leases?\b|"level":"(warn|error)"/);
    },
    300_000,
  );
});

/** Every transaction that writes a turn or an item sleeps once when it commits, with all its locks. */
function slowCommits(seconds: number): string {
  return `
    create or replace function public.commit_slowly() returns trigger language plpgsql as $$
    begin
      if current_setting('slow.done', true) is distinct from pg_current_xact_id()::text then
        perform set_config('slow.done', pg_current_xact_id()::text, true);
        perform pg_sleep(${seconds});
      end if;
      return null;
    end $$;
    create constraint trigger slow_turns after insert or update on animus.turns deferrable initially deferred
      for each row execute function public.commit_slowly();
    create constraint trigger slow_items after update on animus.work_items deferrable initially deferred
      for each row execute function public.commit_slowly();`;
}
