import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { decodeCursor, encodeCursor } from '../../../src/store/events/position.ts';
import { finishToolCalls } from '../../../src/store/transcript/calls.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { sayWork } from '../../../src/store/work/say-work.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { beginAnswer, newTalk } from '../../store/conversations/begun.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { type EventReader, readEventStream } from '../../support/event-reader.ts';
import { type EventServer, startEventServer } from '../../support/event-server.ts';

const pg = testDatabase();
let server: EventServer;
beforeAll(async () => {
  server = await startEventServer(pg.database);
});
afterAll(() => server.stop());

/** Readers of a database that was restored from a backup have such ids. All readers share what the first one begins. */
describe('a reader with the id of an event that has not happened takes nothing from the others', () => {
  test.each<[string, object]>([
    ['in the ledger', { l: 1_000_000 }],
    ['in another focus', { f: 1_000_000 }],
    ['in another turn', { t: 1_000_000 }],
    ['at the end of a call', { e: '{[0,1000)}' }],
    ['among messages', { m: 1_000_000 }],
    ['at an end', { x: 1000 }],
  ])('%s', async (_, ahead) => {
    const work = await beginFocus(pg.database);
    await recordCalls(pg.database, work, 1, ['a', 'b']);
    const url = `${server.url}/work/${work.id}/events`;
    const id = await idAfter(url, ({ data }) => data['call_id'] === 'b');
    await readBoth(url, withFields(id, ahead), async () => {
      const ends = !('m' in ahead);
      await write(work, ends);
      return ({ type }) => type === (ends ? 'done' : 'message');
    });
  });

  test.each<[string, object]>([
    ['of a later mark', { q: 1_000_000 }],
    ['after an answer that has not ended', { o: [] }],
    ['in an answer', { o: [['{[1,2)}', { l: 1_000_000, m: 1_000_000, e: '{[0,1000)}' }]] }],
  ])('of a conversation: %s', async (_, ahead) => {
    const talk = await newTalk(pg.database);
    await sayInConversation(pg.database, talk.id, 'What is new?');
    const work = await beginAnswer(pg.database, talk);
    await recordCalls(pg.database, work, 1, ['a', 'b']);
    const url = `${server.url}/chats/${talk.id}/events`;
    const id = await idAfter(url, ({ data }) => data['call_id'] === 'b');
    await readBoth(url, withFields(id, ahead), async () => {
      const ends = 'q' in ahead;
      await write(work, ends);
      return ({ type }) => type === (ends ? 'answered' : 'message');
    });
  });
});

/** One reader begins with `after`, and another one without; then it happens. The other one must get what one gets who comes afterwards. */
async function readBoth(url: string, after: string, happen: () => Promise<Parameters<EventReader['until']>[0]>) {
  const first = await readEventStream(url, { after });
  await first.until(({ data }) => data['live'] === true);
  const other = await readEventStream(url);
  await other.until(({ data }) => data['live'] === true);
  const last = await happen();
  await other.until(last);
  const later = await readEventStream(url);
  await later.until(last);
  expect(recorded(other)).toEqual(recorded(later));
  await Promise.all([first, other, later].map((reader) => reader.leave()));
}

async function idAfter(url: string, match: Parameters<EventReader['until']>[0]): Promise<string> {
  const reader = await readEventStream(url);
  const { id } = await reader.until(match);
  await reader.leave();
  return id!;
}

function withFields(id: string, fields: object): string {
  return encodeCursor({ ...(decodeCursor(id) as object), ...fields });
}

const recorded = ({ events }: EventReader) => events.filter(({ id }) => id !== null);

/** As its last event, it ends, or gets a message, which would have to be delivered before its end. */
async function write(work: FocusedWork, ends: boolean): Promise<void> {
  await appendLedger(pg.database, work.id, 'note', 'one', { leaseToken: work.leaseToken });
  const result = { turn: 1, state: 'done' as const, output: 'ok', isError: false, details: null, durationMs: 1 };
  for (const callId of ['a', 'b']) await finishToolCalls(pg.database, work.key, [{ ...result, callId }]);
  await recordCalls(pg.database, work, 2, []);
  if (ends) await completeWork(pg.database, work, {}, null);
  else await sayWork(pg.database, work.id, 'hello');
}
