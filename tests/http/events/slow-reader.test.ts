import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { type EventHub, openEventHub } from '../../../src/http/events/event-hub.ts';
import { followItem } from '../../../src/http/events/follow-item.ts';
import type { Frame } from '../../../src/http/events/frame.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { beginAnswer, newTalk } from '../../store/conversations/begun.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { eyesThat } from '../../support/event-server.ts';
import { eventually } from '../../support/eventually.ts';

const pg = testDatabase();
let hub: EventHub;
beforeAll(async () => {
  hub = openEventHub({ db: pg.database, clock: systemClock, log: silentLog });
  await hub.start();
});
afterAll(() => hub.stop());

/** Something to read, and an item of it that writes. */
const READ = {
  async work() {
    const work = await beginFocus(pg.database);
    return { work, id: work.id, name: 'work_item_id' };
  },
  async conversation() {
    const talk = await newTalk(pg.database);
    await sayInConversation(pg.database, talk.id, 'What is new?');
    return { work: await beginAnswer(pg.database, talk), id: talk.id, name: 'chat_id' };
  },
};

test.each(['work', 'conversation'] as const)(
  'a reader of a %s that is too slow is told so, gets every recorded event once, and nothing is kept for it',
  async (kind) => {
    const { work, id: readId, name } = await READ[kind]();
    const scope = { kind, id: readId };
    const eyes = eyesThat('slow', (look) => look(pg.database));
    const leaving = new AbortController();
    const frames = followItem({ hub, clock: systemClock }, eyes, scope, null, leaving.signal);
    const got: Frame[] = [];
    const take = async () => got.push(...((await frames.next()).value as readonly Frame[]));
    // Until it has joined the others: it is shown where the item is.
    while (!got.some(({ id, type }) => id === null && type === 'state')) await take();
    const fast: Frame[] = [];
    const other = (async () => {
      for await (const batch of followItem({ hub, clock: systemClock }, { ...eyes }, scope, null, leaving.signal)) {
        fast.push(...batch);
      }
    })();
    // It joins, too, before anything happens: otherwise it may read the tables, before what the two share is full.
    await eventually('the other is there', () =>
      fast.some(({ id, type }) => id === null && type === 'state') ? true : null,
    );
    const ENTRIES = 700;
    await pg.database.query(
      `select animus.append_ledger($1, 'note', 'entry ' || n, $2) from generate_series(1, $3::int) n`,
      [work.id, work.leaseToken, ENTRIES],
    );
    await eventually('the other has all', () => (entries(fast).length === ENTRIES ? true : null));
    while (entries(got).length < ENTRIES) await take();
    expect(JSON.parse(got.find(({ type }) => type === 'missed')!.json)).toMatchObject({ [name]: readId });
    expect(entries(got)).toEqual(Array.from({ length: ENTRIES }, (_, n) => n + 1));
    expect(new Set(got.flatMap(({ id }) => id ?? [])).size).toBe(got.filter(({ id }) => id !== null).length);
    leaving.abort('enough');
    await frames.return(undefined);
    await other;
    expect(hub.watched).toBe(0);
  },
);

function entries(frames: readonly Frame[]): number[] {
  return frames.flatMap(({ type, json }) => (type === 'ledger' ? [(JSON.parse(json) as { seq: number }).seq] : []));
}
