/** Promise: where a piece of an answer was lost, the server asks for what was sent, and its readers get the text without a gap. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createTextTeller } from '../../../src/engage/events/text-teller.ts';
import { type TextPiece, tellWatchers } from '../../../src/store/events/live/live-pieces.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { readEventStream } from '../../support/event-reader.ts';
import { type EventServer, startEventServer } from '../../support/event-server.ts';
import { eventually } from '../../support/eventually.ts';

const pg = testDatabase();
let server: EventServer;
beforeAll(async () => {
  server = await startEventServer(pg.database);
});
afterAll(() => server.stop());

test('a lost piece is sent again', async () => {
  const work = await beginFocus(pg.database);
  const reader = await readEventStream(`${server.url}/work/${work.id}/events`);
  await reader.until(({ data }) => data['live'] === true);
  await pg.database.query('select animus.begin_turn($1, $2, 1)', [work.key.focusId, work.leaseToken]);
  let lose = false;
  const tell = async (piece: TextPiece) =>
    // Sent, and read by nobody, as while the server's connection was away.
    tellWatchers(pg.database, work.key, lose && !piece.earlier ? { ...piece, focus: 0 } : piece);
  await eventually('a watcher', async () => ((await tell({ focus: 0, turn: 1, from: 0, text: '' })) ? true : null));
  const teller = createTextTeller(1, tell, systemClock);
  const say = (text: string) => teller.take({ type: 'text', live: true, turn: 1, text });
  const shown = () =>
    reader.events.filter(({ type }) => type === 'text').map(({ data }) => [data['from'], data['text']]);

  say('Once ');
  await reader.until(() => shown().length === 1);
  lose = true;
  say('upon ');
  await systemClock.sleep(500);
  lose = false;
  say('a time');
  await systemClock.sleep(300);
  say(' there');
  await reader.until(() => shown().length >= 2 && String(shown().at(-1)).endsWith('there'));
  expect(
    shown()
      .map(([, text]) => text)
      .join(''),
  ).toBe('Once upon a time there');
  await teller.stop();
});
