import { expect, it } from 'vitest';
import { webhookReceiver } from '../features/webhooks/fixtures.ts';
import { makeSite, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const pg = testDatabase({ anew: true });
const KEY = 'k'.repeat(64);
const FACULTY = '[faculty]\nname = "f"\n[faculty.engage]\nmode = "external"\ncommand = "true"\n';

it('a daemon killed while the receiver thinks: the other one sends it again with the same id, and nothing is lost', async () => {
  const receiver = await webhookReceiver();
  const site = makeSite({
    modelUrl: null,
    databaseUrl: pg.connectionString,
    config: `[daemon]\nhttp = "off"\n[webhooks]\nallow = ["127.0.0.1:${receiver.port}"]\n`,
    faculties: { f: FACULTY },
  });
  const withKey = { ...site, env: { ...site.env, ANIMUS_WEBHOOK_KEY: KEY } };
  const added = await runAnimus(withKey, ['webhook', 'add', receiver.url, '--events', 'work.queued,work.cancelled']);
  receiver.secret = added.stdout.trim();
  const thinking = Promise.withResolvers<void>();
  receiver.answer = () => thinking.resolve();
  const first = await startDaemon(withKey);
  const [item] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('nobody', 'd') returning id`,
  );
  await thinking.promise;
  await pg.database.query(`select animus.cancel_work($1, '')`, [item!.id]);
  await first.kill('SIGKILL');
  receiver.answer = (_request, response) => void response.writeHead(200).end();
  // The claim of the killed daemon is valid for a minute: here it is over now.
  await pg.database.query('update animus.webhook_deliveries set due_at = now() where claim is not null');
  const second = await startDaemon(withKey);
  await eventually('the rest', () => (receiver.received.length === 3 ? true : null));
  const [before, again, cancelled] = receiver.received;
  expect([before!.verified, again!.verified, cancelled!.verified]).toEqual([true, true, true]);
  expect([again!.id, again!.body]).toEqual([before!.id, before!.body]);
  expect(cancelled!.event.type).toBe('work.cancelled');
  const [hook] = await pg.database.query<{ id: string }>('select id from animus.webhooks');
  const tested = await runAnimus(withKey, ['webhook', 'test', hook!.id]);
  expect(tested).toMatchObject({ exit: 0, stdout: expect.stringContaining('accepted with 200') });
  expect(second.output() + added.stderr).not.toContain(KEY);
  await second.kill('SIGTERM');
});
