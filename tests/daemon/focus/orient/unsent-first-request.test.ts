/** Promise: a first request that was reserved with the beginning of its focus, and never sent, costs nothing, whatever ends the focus. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();

/** A daemon that is about to begin a focus on an item: the statement waits until `go` is called. */
async function beginning() {
  const workspace = mkdtempSync(join(tmpdir(), 'animus-workspace-'));
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
  const engage = '[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "You count."\n';
  const daemon = await startTestDaemon({
    config: '[daemon]\nshutdown_grace_seconds = 0\n',
    databaseUrl: target.connectionString,
    script: '[[answer]]\ntext = "done"\n',
    files: { 'faculties/clerk.toml': `[faculty]\nname = "clerk"\nworkspace = ${JSON.stringify(workspace)}\n${engage}` },
  });
  // The settings of foci that begin in one statement are stored already.
  await ended(daemon, await submit());
  const going = Promise.withResolvers<void>();
  onTestFinished(() => going.resolve());
  const locked = Promise.withResolvers<void>();
  const locking = target.database.transaction(async (tx) => {
    await tx.query('lock table animus.turns in exclusive mode');
    locked.resolve();
    await going.promise;
  });
  await locked.promise;
  const id = await submit();
  await eventually(
    'the beginning of the focus',
    async () => {
      const [waiting] = await target.database.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%begin_foci%'`,
      );
      return waiting ?? null;
    },
    20,
  );
  const go = async () => {
    going.resolve();
    await locking;
  };
  return { daemon, workspace, id, go };
}

async function submit(): Promise<string> {
  const [item] = await target.database.query<{ id: string }>(`select id from animus.submit_work('clerk', 'count')`);
  return item!.id;
}

async function ended({ events }: TestDaemon, id: string): Promise<void> {
  const isOver = (it: TestDaemon['events'][number]) =>
    it.type === 'state' && it.state !== 'running' && it.workItemId === id;
  await eventually('the end', () => events.find(isOver) ?? null, 20);
}

async function lostOf(id: string) {
  const [row] = await target.database.query(
    `select c.lost_requests::int as lost, w.state, (select count(*)::int from animus.turns t join animus.foci f on f.id = t.focus_id
              where f.work_item_id = w.id and t.open_request is null) as begun
       from animus.work_items w cross join lateral animus.costs('item', w.id::text) c where w.id = $1`,
    [id],
  );
  return row;
}

test('where its workspace is gone meanwhile, so that it fails', async () => {
  const { daemon, workspace, id, go } = await beginning();
  rmSync(workspace, { recursive: true });
  await go();
  await ended(daemon, id);
  expect(await lostOf(id)).toMatchObject({ lost: 0, begun: 1 });
});

test('where the daemon drains meanwhile', async () => {
  const { daemon, id, go } = await beginning();
  const stopped = daemon.stop();
  await eventually('the drain', async () => daemon.lines.find((line) => line.includes('shutting down')) ?? null);
  await go();
  await stopped;
  expect(await lostOf(id)).toMatchObject({ lost: 0, state: 'queued', begun: 1 });
});
