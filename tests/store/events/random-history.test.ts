import { describe, expect, it } from 'vitest';
import type { WorkEvent } from '../../../src/store/events/event.ts';
import { readCursor, writeCursor } from '../../../src/store/events/position.ts';
import { readEvents, readPages } from '../../../src/store/events/read-events.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';
import { fakeDatabaseClock } from '../../support/database-clock.ts';
import { randomHistory, randomOf } from './random-history.ts';

type Read = WorkEvent & { readonly id: string };

/** `RANDOM_SEED` repeats one history; `RANDOM_HISTORIES` says how many. */
const SEED = Number(process.env['RANDOM_SEED'] ?? 0);
const HISTORIES = Number(process.env['RANDOM_HISTORIES'] ?? 3);

describe('the events of random histories', () => {
  const pg = testDatabase();

  it('from every id are exactly those that a reader has not got, whenever it read', { timeout: 60_000 }, async () => {
    const db = pg.database;
    const clock = await fakeDatabaseClock(db, '2026-11-01T10:00:00Z');
    for (let n = 0; n < HISTORIES; n++) {
      const seed = SEED || 1000 + n;
      const random = randomOf(seed);
      const [item] = await db.query<{ id: string }>(
        `insert into animus.work_items (faculty) values ('f' || gen_random_uuid()) returning id`,
      );
      const { id } = item!;
      const history = randomHistory(db, id, random);
      const readers = [1, 0.3, 0.05].map((often) => reader(db, id, often, random));
      for (let step = 0; step < 60; step++) {
        // Now and then the clock of the server is set back.
        if (random() < 0.9) await clock.set(`+${random() < 0.1 ? '-2' : '0.01'} seconds`);
        await history.step();
        for (const one of readers) await one.perhaps();
      }
      await history.finish();
      for (const one of readers) await one.rest();
      if (random() < 0.5) await db.query(`select animus.pack_history('-1 day', 1000)`);

      const all = await readAll(db, id, null, random);
      const keys = all.map(keyOf);
      expect(new Set(keys).size, `seed ${seed}: an event comes twice`).toBe(keys.length);
      expect(all.at(-1), `seed ${seed}`).toMatchObject({ type: 'done', state: 'completed' });
      const pages = await readPages(
        db,
        all.map(({ id: after }) => ({ id, from: readCursor(id, after) })),
        10_000,
      );
      for (const [index, page] of pages.entries()) {
        const which = `seed ${seed}: after event ${index}, ${keys[index]}`;
        const rest = page!.events.map(({ event, after }) => ({ ...event, id: writeCursor(id, after) }));
        expect(rest.map(keyOf), which).toEqual(keys.slice(index + 1));
        expect(
          rest.map((one) => one.id),
          which,
        ).toEqual(all.slice(index + 1).map((one) => one.id));
        // In pages of any size it is the same.
        if (random() < 0.05)
          expect((await readAll(db, id, all[index]!.id, random)).map(keyOf), which).toEqual(keys.slice(index + 1));
      }
      for (const { seen } of readers) {
        expect(seen.map(keyOf).toSorted(), `seed ${seed}: a reader on the way`).toEqual(keys.toSorted());
      }
      // Each id that was given on the way leads to what was left.
      for (const [index, event] of readers[0]!.seen.entries()) {
        if (random() > 0.1) continue;
        const before = new Set(readers[0]!.seen.slice(0, index + 1).map(keyOf));
        const rest = (await readAll(db, id, event.id, random)).map(keyOf);
        // Its parts may be interleaved otherwise than from the beginning, where the clock was set back.
        const missing = keys.filter((key) => !before.has(key));
        expect(rest.toSorted(), `seed ${seed}: after ${keyOf(event)}`).toEqual(missing.toSorted());
      }
    }
  });
});

/** Reads a page now and then, from where it is. */
function reader(db: Queryable, id: string, often: number, random: () => number) {
  const seen: Read[] = [];
  const read = async () => {
    const page = await readEvents(db, { kind: 'work', id }, seen.at(-1)?.id ?? null, 1 + Math.floor(random() * 5));
    seen.push(...page.events);
    return page.more;
  };
  return {
    seen,
    async perhaps() {
      if (random() < often) await read();
    },
    async rest() {
      while (await read());
    },
  };
}

async function readAll(db: Queryable, id: string, after: string | null, random: () => number): Promise<Read[]> {
  const all: Read[] = [];
  for (let more = true; more; ) {
    const limit = random() < 0.5 ? 100 : 1 + Math.floor(random() * 4);
    const page = await readEvents(db, { kind: 'work', id }, all.at(-1)?.id ?? after, limit);
    all.push(...page.events);
    more = page.more;
  }
  return all;
}

/** What an event is, without its id and time. */
function keyOf({ id: _id, ...event }: Read): string {
  return JSON.stringify(event);
}
