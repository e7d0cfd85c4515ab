/** The stream of a work item ends with `done`: nothing comes after it, not even a hint. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellWatchers } from '../../../src/store/events/live/live-pieces.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { readEventStream } from '../../support/event-reader.ts';
import { type EventServer, eyesThat, startEventServer } from '../../support/event-server.ts';
import { eventually } from '../../support/eventually.ts';

const pg = testDatabase();
let server: EventServer;
beforeAll(async () => {
  server = await startEventServer(pg.database, (key) => eyesThat(key, (look) => look(pg.database)));
});
afterAll(() => server.stop());

test.each(['completed', 'cancelled'])('ends with done: no hint comes after it, work that is %s', async (how) => {
  const work = await beginFocus(pg.database);
  const reader = await readEventStream(`${server.url}/work/${work.id}/events`);
  await reader.until(({ data }) => data['live'] === true);
  await pg.database.query('select animus.begin_turn($1, $2, 1)', [work.key.focusId, work.leaseToken]);
  const piece = () => tellWatchers(pg.database, work.key, { focus: 1, turn: 1, from: 0, text: 'Hel' });
  await eventually('a watcher', async () => ((await piece()) ? true : null));
  await reader.until(({ type, data }) => type === 'text' && data['live'] === true);
  if (how === 'completed') await completeWork(pg.database, work, { ok: true }, 'all done');
  else await pg.database.query(`select animus.cancel_work($1, 'enough')`, [work.id]);
  if (how === 'cancelled') await pg.database.query('select animus.end_cancelled($1, $2)', [work.id, work.leaseToken]);
  await reader.ended;
  expect(reader.events.at(-1)!.type).toBe('done');
  const late = await readEventStream(`${server.url}/work/${work.id}/events`);
  await late.ended;
  expect(late.events.at(-1)!.type).toBe('done');
});
