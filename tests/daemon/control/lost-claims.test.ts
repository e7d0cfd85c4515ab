import { expect, test } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';

const target = testDatabase();

test('lost answers to claims cost no attempt and no time: the daemon finds the work claimed in its name', async () => {
  const proxy = await startPostgresProxy(target.connectionString);
  const daemon = await startTestDaemon({
    databaseUrl: proxy.url,
    script: '[[answer]]\ntext = "Done."\n',
    // An unknown claim would be lost for longer than this test may take.
    config: '[daemon]\npoll_seconds = 0.2\nlease_seconds = 120\n',
    files: {
      'faculties/smith.toml':
        '[faculty]\nname = "smith"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\nbash_isolation = "none"\n',
    },
  });
  let lose = 0;
  const lost: string[] = [];
  proxy.watch((name, moment) => {
    const loses = moment === 'after' && (name === 'claim_ready_work' || name === 'take_own_claims') && lose > 0;
    if (!loses) return 'pass';
    lose -= 1;
    lost.push(name);
    return 'end';
  });
  await target.database.transaction(async (tx) => {
    await tx.query(`insert into animus.work_items (faculty) select 'smith' from generate_series(1, 3)`);
    // Just before the work can be seen: a claim that finds none would lose nothing.
    lose = 4;
  });
  const ended = await eventually('the work is done', async () => {
    const rows = await target.database.query(
      `select state, attempts, crashes, unstarted_claims from animus.work_items where resolved_at is not null`,
    );
    return rows.length === 3 ? rows : null;
  });
  const whole = { state: 'completed', attempts: 0, crashes: 0, unstarted_claims: 0 };
  expect(ended).toEqual([whole, whole, whole]);
  expect(lost).toContain('claim_ready_work');
  expect(lost).toHaveLength(4);
  expect(daemon.lines.join()).toContain('found work that a claim had reserved although its answer was lost');
  await daemon.stop();
});
