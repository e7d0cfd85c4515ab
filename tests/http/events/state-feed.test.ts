import { afterAll, beforeAll, expect, it } from 'vitest';
import { cancelWork } from '../../../src/store/work/operate.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { readEventStream } from '../../support/event-reader.ts';
import { type EventServer, personEyes, startEventServer } from '../../support/event-server.ts';
import { createPerson } from '../../support/people.ts';

const pg = testDatabase();
let server: EventServer;
beforeAll(async () => {
  await createPerson(pg.database, 'rosa', 'reader');
  server = await startEventServer(pg.database, (name) => personEyes(pg.database, name));
});
afterAll(() => server.stop());

it('a stream of everything begins with a snapshot, shows changes of states, and only of work that its reader may see', async () => {
  const running = await beginFocus(pg.database);
  const [own] = await personEyes(pg.database, 'ann').look((tx) =>
    tx.query<{ id: string }>(`select id from animus.submit_work('f', 'mine')`),
  );
  const [rosa, ann] = await Promise.all(
    ['rosa', 'ann'].map((actor) => readEventStream(`${server.url}/events`, { actor })),
  );
  const seen = (data: Record<string, unknown>) =>
    (data['items'] as { work_item_id: string; state: string }[]).map(({ work_item_id: id, state }) => [id, state]);
  const all = seen((await rosa!.until(({ type }) => type === 'snapshot')).data);
  expect(new Map(all as [string, string][])).toEqual(
    new Map([
      [running.id, 'running'],
      [own!.id, 'queued'],
    ]),
  );
  expect(seen((await ann!.until(({ type }) => type === 'snapshot')).data)).toEqual([[own!.id, 'queued']]);

  await cancelWork(pg.database, own!.id);
  for (const reader of [rosa!, ann!]) {
    const done = await reader.until(({ type }) => type === 'done');
    expect(done).toMatchObject({ id: null, data: { work_item_id: own!.id, state: 'cancelled', live: true } });
  }
  await Promise.all([rosa!.leave(), ann!.leave()]);
});
