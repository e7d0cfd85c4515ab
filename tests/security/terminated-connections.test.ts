/** Promise: terminating animus's sessions, however often, crashes neither a daemon nor a command, and loses no work. */
import { expect, test } from 'vitest';
import { makeSite, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { asAdmin, testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const target = testDatabase();
const ITEMS = 20;
const STORM_MS = 4_000;

const SCRIPT = `
[[answer]]
text = "I note it."
[[answer.call]]
tool = "ledger_append"
input = { type = "finding", content = "seen" }
[[answer]]
text = "Done."
`;

test('a loop of pg_terminate_backend ends neither the daemon nor a command, and every item completes once', async () => {
  const site = makeSite({
    databaseUrl: target.connectionString,
    modelUrl: null,
    config: '[daemon]\nlease_seconds = 10\nhttp = "off"\n[providers.play]\nkind = "scripted"\nscript = "script.toml"\n',
    files: { 'script.toml': SCRIPT },
    faculties: {
      smith: '[faculty]\nname = "smith"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = []\n',
    },
  });
  const daemon = await startDaemon(site);
  await target.database.query(
    `insert into animus.work_items (faculty, description) select 'smith', 'item ' || n from generate_series(1, $1::int) n`,
    [ITEMS],
  );

  const storm = terminateUntil(performance.now() + STORM_MS);
  const commands = await Promise.all([runAnimus(site, ['status', '--json']), runAnimus(site, ['work', 'list'])]);
  const terminated = await Promise.race([
    storm,
    daemon.exited.then((how) => `the daemon ended (${how})\n${daemon.output()}`),
  ]);
  expect(terminated).toBeTypeOf('number');
  for (const { exit, stderr } of commands) {
    expect([0, 4]).toContain(exit);
    expect(stderr).not.toMatch(/\n\s+at |Unhandled|node:events/);
  }

  const completed = await eventually(`every item is completed\n${daemon.output()}`, async () => {
    const [row] = await target.database.query<{ completed: number; entries: number }>(
      `select count(*) filter (where state = 'completed' and attempts = 0)::int as completed,
              (select count(*)::int from animus.work_ledger) as entries from animus.work_items`,
    );
    return row!.completed === ITEMS ? row! : null;
  });
  expect(completed.entries).toBe(ITEMS);
  expect(daemon.output()).not.toMatch(/\n\s+at |Unhandled|node:events/);
  await daemon.kill('SIGTERM');
  expect(await daemon.exited).toBe(0);
});

/** Terminates every session of the database every few milliseconds; returns how many. */
async function terminateUntil(endMs: number): Promise<number> {
  const name = new URL(target.connectionString).pathname.slice(1);
  return asAdmin(async (admin) => {
    let terminated = 0;
    while (performance.now() < endMs) {
      const [row] = await admin.query<{ count: number }>(
        'select count(pg_terminate_backend(pid))::int as count from pg_stat_activity where datname = $1',
        [name],
      );
      terminated += row!.count;
    }
    return terminated;
  });
}
