import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/core/lifecycle/clock.ts';
import { untilBlocked } from '../../../store/work/queue-driver.ts';
import { startTestDaemon } from '../../../support/daemon.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();
const LIMIT_SECONDS = 5000;

test('work that was done when its time was over, but not yet recorded, has failed', async () => {
  const late = Promise.withResolvers<void>();
  // Only the deadline sleeps for nearly as long.
  const isDeadline = (ms: number) => ms > 1000 * (LIMIT_SECONDS - 300) && ms <= 1000 * LIMIT_SECONDS;
  await startTestDaemon({
    databaseUrl: target.connectionString,
    script: '[[answer]]\ntext = "unused"\n',
    clock: {
      ...systemClock,
      sleep: (ms, signal) =>
        isDeadline(ms) ? Promise.race([late.promise, systemClock.sleep(ms, signal)]) : systemClock.sleep(ms, signal),
    },
    files: {
      'faculties/smith.toml': `[faculty]\nname = "smith"\nrun_deadline_seconds = ${LIMIT_SECONDS}\n[faculty.engage]\nmode = "external"\ncommand = "./work"\n[faculty.recover]\nmax_attempts = 1\n`,
      'faculties/work': `#!/bin/sh\ncat > /dev/null; echo '{"outcome": {"n": 1}, "ledger": [{"type": "note", "content": "done"}]}'\n`,
    },
  });
  const locked = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  onTestFinished(() => going.resolve());
  const locking = target.database.transaction(async (tx) => {
    await tx.query('lock table animus.work_ledger in exclusive mode');
    locked.resolve();
    await going.promise;
  });
  await locked.promise;
  const [item] = await target.database.query<{ id: string }>(`select id from animus.submit_work('smith', 'count')`);
  await untilBlocked(target.database);
  late.resolve();
  going.resolve();
  await locking;
  const ended = await eventually('the end', async () => {
    const [row] = await target.database.query<{ state: string; error: { code: string } | null }>(
      `select state, error from animus.work_items where id = $1 and state in ('completed', 'dead')`,
      [item!.id],
    );
    return row ?? null;
  });
  expect(ended).toMatchObject({ state: 'dead', error: { code: 'focus.deadline', phase: 'engage' } });
});
