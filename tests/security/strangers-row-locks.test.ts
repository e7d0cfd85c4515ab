/** The promise: a session that keeps a work item locked blocks a focus's connection only for a moment, and no other work. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { cancelWork } from '../../src/store/work/operate.ts';
import { claimOne, codeOf, emptyQueue, insertWork, openTransaction, startFocus } from '../store/work/queue-driver.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { temporaryHome, testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { FENCED_CALLS, FOR_THE_USUAL_CASE, LOCKS_NOTHING } from '../support/fencing/fenced-calls.ts';
import { beginWriter } from '../support/fencing/lease-losses.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const target = testDatabase();
const home = temporaryHome();
const logins: string[] = [];
beforeEach(() => emptyQueue(target.database));
afterAll(() => dropLogins(logins));

const lock = (ids: readonly string[]) =>
  openTransaction(target.database, async (tx) => {
    await tx.query('select from animus.work_items where id = any ($1) for update', [ids]);
  });

test('no fenced function waits for a locked item longer than half a second, and each reports that it is locked', async () => {
  const writer = await beginWriter(target.database);
  const stranger = await lock([writer.id]);
  try {
    const pool = target.open({ poolSize: 30 });
    await pool.query('select 1');
    for (const [name, call] of Object.entries(FENCED_CALLS)) {
      // It locks nothing, or is a step that leaves locked rows to its callers.
      if (LOCKS_NOTHING.has(name) || FOR_THE_USUAL_CASE.has(name)) continue;
      const startedMs = performance.now();
      const said = await call(pool, writer).then(
        ([row]) => (row as { result?: string }).result,
        (error: unknown) => (error as { code?: string }).code,
      );
      expect([name, said]).toEqual([name, expect.stringMatching(/^(work\.)?locked$/)]);
      expect(performance.now() - startedMs, name).toBeLessThan(1500);
    }
  } finally {
    await stranger.end('commit');
  }
});

test('a submitter who watches its running work in a transaction that stays open locks nothing of it', async () => {
  const submitter = openPostgres(await createLogin(target.connectionString, 'animus_submitter', logins), {
    poolSize: 2,
  });
  await submitter.query(`select animus.submit_work('engineer')`);
  const work = await claimOne(target.database);
  await startFocus(target.database, work);
  await submitter.query('select animus.watch_work($1)', [work.id]);
  const open = await openTransaction(submitter, async (tx) => {
    await tx.query('select animus.watch_work($1)', [work.id]);
    await tx.query(`select animus.watch_texts($1, 'animus_text_' || repeat('0', 32))`, [work.id]);
  });
  try {
    // Every lock is free, or this statement fails as locked.
    await target.database.query(`select animus.append_ledger($1, 'note', 'x', $2)`, [work.id, work.leaseToken]);
    await target.database.query(`select animus.watch_work($1)`, [work.id]);
    await target.database.query(`select animus.complete_work($1, $2, '{}')`, [work.id, work.leaseToken]);
  } finally {
    await open.end('commit');
    await submitter.close();
  }
});

test('a daemon with more locked foci than connections does other work meanwhile, and loses no attempt', async () => {
  const go = join(home, 'go');
  const script = `[[answer]]
[[answer.call]]
tool = "bash"
input = { command = "until [ -e ${go} ]; do sleep 0.05; done" }
[[answer]]
text = "Done."
`;
  const faculty = (name: string) =>
    `[faculty]\nname = "${name}"\npermissions.bash = "auto"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["bash"]\nbash_isolation = "none"\n`;
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script,
    config: '[daemon]\npoll_seconds = 0.2\nlease_seconds = 30\nmax_concurrent = 30\n',
    files: { 'faculties/held.toml': faculty('held'), 'faculties/free.toml': faculty('free') },
  });
  await target.database.query(`insert into animus.work_items (faculty) select 'held' from generate_series(1, 14)`);
  const held = await eventually('all of them run', async () => {
    const rows = await target.database.query<{
      id: string;
    }>(`select w.id from animus.work_items w join animus.foci f on f.work_item_id = w.id join animus.tool_calls t on t.focus_id = f.id
        where t.state = 'started'`);
    return rows.length === 14 ? rows.map(({ id }) => id) : null;
  });
  const stranger = await lock(held);
  writeFileSync(go, '');
  try {
    await target.database.query(`insert into animus.work_items (faculty) select 'free' from generate_series(1, 3)`);
    await eventually('the other work is done', async () => {
      const rows = await target.database.query(
        `select from animus.work_items where faculty = 'free' and state = 'completed'`,
      );
      return rows.length === 3 ? true : null;
    });
  } finally {
    await stranger.end('commit');
  }
  const ended = await eventually('the locked work goes on', async () => {
    const rows = await target.database.query(
      `select state, attempts from animus.work_items where faculty = 'held' and resolved_at is not null`,
    );
    return rows.length === 14 ? rows : null;
  });
  expect(new Set(ended.map((row) => JSON.stringify(row)))).toEqual(new Set(['{"state":"completed","attempts":0}']));
  await daemon.stop();
});

test('a cancel does not wait endlessly for a locked child: it names it, changes nothing, and works once the child is free', async () => {
  const parent = await insertWork(target.database);
  const child = await insertWork(target.database, { parent_id: parent });
  const stranger = await lock([child]);
  try {
    await expect(cancelWork(target.database, parent)).rejects.toMatchObject({
      code: 'work.locked',
      message: expect.stringContaining(child),
    });
    expect(await target.database.query(`select distinct state from animus.work_items`)).toEqual([{ state: 'queued' }]);
    expect(await codeOf(cancelWork(target.database, child))).toBe('work.locked');
  } finally {
    await stranger.end('commit');
  }
  expect(await cancelWork(target.database, parent)).toBe('cancelled');
});
