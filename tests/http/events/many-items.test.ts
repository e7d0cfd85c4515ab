/** When a hub reads its items, with a clock and a database of events under the test's control. */
import { expect, test } from 'vitest';
import { type EventHub, openEventHub } from '../../../src/http/events/event-hub.ts';
import type { Eyes } from '../../../src/http/events/eyes.ts';
import type { WatchedItem } from '../../../src/http/events/watched-item.ts';
import { type AnyPage, beginningOf, type Place } from '../../../src/store/events/places.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { testDatabase } from '../../support/database.ts';
import { heldClock } from '../../support/held-clock.ts';

const pg = testDatabase();
const ITEMS = 150;
const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

test('what happens to an item while all are read again waits for a few of them, not for all', async () => {
  const clock = heldClock();
  const hub = openEventHub({ db: pg.database, clock, log: silentLog });
  await hub.start();
  const statements = createStatements();
  const items = Array.from({ length: ITEMS }, (_, n) => watch(hub, n, statements.eyes));
  try {
    await clock.pass(5_000);
    const first = await statements.next();
    expect(first.ids.length).toBeLessThanOrEqual(20);
    hub.look(items.at(-1)!);
    first.answer();
    const second = await statements.next();
    expect(second.ids).toEqual([idOf(ITEMS - 1)]);
    second.answer();
    const read = new Set([...first.ids, ...second.ids]);
    while (read.size < ITEMS) {
      const { ids, answer } = await statements.next();
      for (const id of ids) read.add(id);
      answer();
    }
  } finally {
    await hub.stop();
  }
});

test.each([
  [4, 4],
  [1_000, 50],
])(
  'what happens is read at once; right after a read of %d ms it waits for %d ms, and everything of that time is read at once',
  async (tookMs, restMs) => {
    const clock = heldClock();
    const hub = openEventHub({ db: pg.database, clock, log: silentLog });
    await hub.start();
    const statements = createStatements();
    const item = watch(hub, 0, statements.eyes);
    try {
      hub.look(item);
      const first = await statements.next();
      await clock.pass(tookMs);
      first.answer();
      await new Promise(setImmediate);
      for (let n = 0; n < 3; n++) hub.look(item);
      await clock.pass(restMs - 1);
      expect(statements.begun).toBe(1);
      await clock.pass(1);
      (await statements.next()).answer();
      await new Promise(setImmediate);
      expect(statements.begun).toBe(2);
      // This read took no time, so the next change is read at once.
      hub.look(item);
      (await statements.next()).answer();
    } finally {
      await hub.stop();
    }
  },
);

function watch(hub: EventHub, n: number, eyes: Eyes): WatchedItem {
  const item = hub.join({ kind: 'work', id: idOf(n) }, eyes);
  item.begin({ position: beginningOf(item.scope), items: [{ id: idOf(n), state: 'queued', waiting: null }] });
  return item;
}

interface Statement {
  readonly ids: readonly string[];
  /** With no events. */
  answer(): void;
}

/** Eyes whose statements are answered by the test, one after the other. */
function createStatements() {
  const begun: Statement[] = [];
  let arrived = Promise.withResolvers<void>();
  let count = 0;
  const eyes: Eyes = {
    key: 'somebody',
    look: () => Promise.reject(new Error('no texts')),
    read(wanted) {
      const { promise, resolve } = Promise.withResolvers<readonly AnyPage[]>();
      count++;
      begun.push({ ids: wanted.map(({ scope }) => scope.id), answer: () => resolve(wanted.map(pageWithout)) });
      arrived.resolve();
      return promise;
    },
  };
  return {
    eyes,
    /** How many there were. */
    get begun() {
      return count;
    },
    async next(): Promise<Statement> {
      while (begun.length === 0) {
        await arrived.promise;
        arrived = Promise.withResolvers();
      }
      return begun.shift()!;
    },
  };
}

function pageWithout({ scope, from }: Place): AnyPage {
  return { events: [], position: from, more: false, items: [{ id: scope.id, state: 'queued', waiting: null }] };
}
