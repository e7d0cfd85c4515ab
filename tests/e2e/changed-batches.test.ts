/** Promise: a turn in a batch of a provider that is gone is a problem that people see and decide about; its answer is asked for nowhere else. */
import { describe, expect, it } from 'vitest';
import { runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text } from '../support/model-server/anthropic.ts';
import { startBatchServer } from '../support/model-server/batch-server.ts';
import { opened, PROVIDER, providerSite } from '../support/provider-site.ts';

describe('a turn in a batch of a provider that is gone', () => {
  const pg = testDatabase({ anew: true });

  it.each(['approved', 'denied', 'restored'] as const)(
    'is a problem that status and doctor show, until it is %s',
    async (how) => {
      const done = () => ({ content: [text('Done.')] });
      const [own, other] = [await opened(startBatchServer(done)), await opened(startBatchServer(done))];
      own.state.finishes = false;
      const first = await startDaemon(siteWith(PROVIDER('own', own.url), 'own/m'));
      const [row] = await pg.database.query<{ id: string }>(
        `insert into animus.work_items (faculty, description) values ('worker', 'x') returning id`,
      );
      const { id } = row!;
      await eventually('the batch is taken', async () => {
        const rows = await pg.database.query(`select from animus.batches where state = 'submitted'`);
        return rows.length > 0 ? true : null;
      });
      await first.kill('SIGTERM');
      await own.state.finish(own.state.batches[0]!);
      const asked = own.requests.length;
      const site = siteWith(PROVIDER('next', other.url), 'next/m');
      const daemon = await startDaemon(site);
      const request = await eventually('a person is asked', async () => {
        const [found] = await pg.database.query<{ request: { reason: string } }>(
          `select request from animus.inbox where work_item_id = $1 and subject = 'provider'`,
          [id],
        );
        return found?.request ?? null;
      });
      expect(request.reason).toContain('which is asked again for what was in a batch');
      const problem = `no running daemon has this provider any more (anthropic at ${own.url} with OWN_KEY), so nobody asks for a turn there`;
      expect((await runAnimus(site, ['status', '--json'])).stdout).toContain(problem);
      const doctor = await runAnimus(site, ['doctor', '--json']);
      expect(doctor.exit).toBe(1);
      expect(doctor.stdout).toContain(problem);

      if (how === 'approved') await pg.database.query(`select animus.approve($1)`, [id]);
      if (how === 'denied') await pg.database.query(`select animus.deny($1)`, [id]);
      if (how === 'restored') {
        await daemon.kill('SIGTERM');
        await startDaemon(siteWith(PROVIDER('back', own.url) + PROVIDER('next', other.url), 'next/m'));
      }
      await eventually('the work has ended', async () => {
        const rows = await pg.database.query(`select from animus.work_items where id = $1 and state = $2`, [
          id,
          how === 'denied' ? 'dead' : 'completed',
        ]);
        return rows.length > 0 ? true : null;
      });
      expect(other.state.batches).toHaveLength(how === 'approved' ? 1 : 0);
      expect(own.requests.length > asked).toBe(how === 'restored');
      expect((await runAnimus(site, ['status', '--json'])).stdout).not.toContain('no running daemon has this provider');
      const states = await pg.database.query<{ state: string }>(
        `select state from animus.batch_requests where work_item_id = $1 order by id`,
        [id],
      );
      const expected = { approved: ['withdrawn', 'recorded'], denied: ['sent'], restored: ['recorded'] };
      expect(states.map(({ state }) => state)).toEqual(expected[how]);
      await pg.database.query('delete from animus.batch_requests');
      await pg.database.query('delete from animus.batches');
    },
    120_000,
  );

  function siteWith(providers: string, model: string): Site {
    return providerSite(pg.connectionString, providers, { model, more: 'batch = true' });
  }
});
