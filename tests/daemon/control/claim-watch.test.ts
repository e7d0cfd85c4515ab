/** Promise: one item that cannot be claimed stops no other, and people are told when nothing can be claimed. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createWake } from '../../../src/core/lifecycle/wake.ts';
import { STANDING_MS } from '../../../src/daemon/control/claim-watch.ts';
import { createControlPlane } from '../../../src/daemon/control/control-plane.ts';
import { registerDaemon } from '../../../src/store/work/daemons.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { emptyQueue, insertWork, openTransaction } from '../../store/work/queue-driver.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const pg = testDatabase();
const FACULTY = {
  name: 'engineer',
  maxConcurrent: null,
  dedupUntil: 'resolved',
  recover: { maxAttempts: 3 },
  engage: { mode: 'builtin' },
} as unknown as Faculty;

beforeEach(async () => {
  await emptyQueue(pg.database);
  await pg.database.query(`delete from animus.claim_faults; delete from animus.faculty_faults`);
});

/** Its clock can be put forward; each item is completed as soon as it runs. */
async function plane() {
  const daemonId = randomUUID();
  const options = { engineer: { max: 1000, max_attempts: 3, dedup_until: 'resolved' as const } };
  const daemon = { id: daemonId, host: 'host', pid: 1, version: '0', maxConcurrent: 5, problems: [] };
  await registerDaemon(pg.database, { ...daemon, faculties: options });
  let aheadMs = 0;
  const ran: string[] = [];
  let problems: readonly string[] = [];
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
  const controlPlane = createControlPlane({
    db: pg.database,
    clock,
    log: silentLog,
    processes: { setDeadline() {} },
    daemonId,
    wake: createWake(systemClock),
    leaseSeconds: 60,
    settings: () => ({ maxConcurrent: 5, pollSeconds: 0.05, focusHostGraceSeconds: 120 }),
    faculties: () => new Map([['engineer', FACULTY]]),
    onClaimProblems: (told) => void (problems = told),
    runFocus: async (work) => {
      await completeWork(pg.database, work, {}, null);
      ran.push(work.id);
      return 'ended';
    },
  });
  await controlPlane.start();
  onTestFinished(() => controlPlane.stop());
  return {
    controlPlane,
    ran,
    problems: () => problems,
    forward: (ms: number) => void (aheadMs += ms),
    until: (what: string, holds: () => boolean) => eventually(what, () => (holds() ? true : null)),
  };
}

/** From now on the database refuses to change items with this description, or any. */
async function refuse(description: string | null, sqlstate = 'P0001'): Promise<() => Promise<void>> {
  await pg.database.query(`
    create function public.refuse() returns trigger language plpgsql as $$
      begin raise exception using errcode = '${sqlstate}', message = 'the application refuses it'; end $$;
    create trigger refuse before update on animus.work_items for each row
      ${description === null ? '' : `when (new.description = '${description}')`} execute function public.refuse()`);
  const end = async () => {
    await pg.database.query('drop function if exists public.refuse() cascade');
  };
  onTestFinished(end);
  return end;
}

test('one item that cannot be claimed is named, the others run, and the daemon is ready', async () => {
  await refuse('bad');
  const bad = await insertWork(pg.database, { description: 'bad', priority: 9 });
  const good = [await insertWork(pg.database), await insertWork(pg.database)];
  const { controlPlane, ran, problems, forward, until } = await plane();
  await until('the others run', () => ran.length === 2);
  expect(ran.toSorted()).toEqual(good.toSorted());
  await until('it is named', () => problems().length === 1);
  expect(problems()[0]).toMatch(
    new RegExp(
      `^work item ${bad} of engineer cannot be claimed: the application refuses it \\(failed (once|\\d+ times); tried again at `,
    ),
  );
  const later = await insertWork(pg.database);
  await until('new work runs', () => ran.includes(later));
  forward(2 * STANDING_MS);
  await until('a round has seen it', () => problems().length === 0);
  expect(controlPlane.claims()).toBe('ok');
});

test('claims that all fail are told after a minute, with the error, until work is claimed again', async () => {
  const heal = await refuse(null, '55000');
  for (let n = 0; n < 3; n++) await insertWork(pg.database);
  const { controlPlane, ran, problems, forward, until } = await plane();
  await until('a claim has failed', () => {
    forward(STANDING_MS / 3);
    return controlPlane.claims() !== 'ok';
  });
  expect(controlPlane.claims()).toMatch(/^no work could be claimed for \d+ min: the application refuses it$/);
  await until('people are told', () => problems().length > 0);
  expect(problems()).toEqual(['no work can be claimed: the application refuses it']);
  await heal();
  await until('all run', () => ran.length === 3);
  await until('people are told', () => problems().length === 0);
  expect(controlPlane.claims()).toBe('ok');
});

test('two items that nobody claims, because a transaction has them locked, are told', async () => {
  const ids = [await insertWork(pg.database), await insertWork(pg.database)];
  await pg.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(`update animus.work_items set created_at = created_at - interval '1 hour' where id = any ($1)`, [
      ids,
    ]);
  });
  const open = await openTransaction(pg.database, async (tx) => {
    await tx.query('select from animus.work_items where id = any ($1) for update', [ids]);
  });
  const { controlPlane, ran, problems, forward, until } = await plane();
  await until('it is told', () => {
    forward(STANDING_MS / 3);
    return controlPlane.claims() !== 'ok';
  });
  expect(controlPlane.claims()).toMatch(/2 or more work items, such as .*another transaction has its row locked/);
  await open.end('rollback');
  await until('both run', () => ran.length === 2);
  await until('people are told', () => problems().length === 0);
  expect(controlPlane.claims()).toBe('ok');
});

test('a wait that cannot be ended does not stop claims', async () => {
  await pg.database.query('alter function animus.resolve_due_waits(int) rename to hidden_waits');
  onTestFinished(async () => {
    await pg.database.query('alter function animus.hidden_waits(int) rename to resolve_due_waits');
  });
  const id = await insertWork(pg.database);
  const { ran, problems, until } = await plane();
  await until('work runs', () => ran.includes(id));
  await until('it is told', () => problems().length === 1);
  expect(problems()[0]).toMatch(/^waits that are due cannot be ended: /);
});
