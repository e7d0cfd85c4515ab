import { expect, it } from 'vitest';
import {
  CONVERSATION_BEGINNING,
  readConversationCursor,
  writeConversationCursor,
} from '../../../src/store/events/conversation-position.ts';
import type { AnyEvent } from '../../../src/store/events/event.ts';
import { readConversationPage } from '../../../src/store/events/read-conversation-events.ts';
import { readEvents } from '../../../src/store/events/read-events.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';
import { fakeDatabaseClock } from '../../support/database-clock.ts';
import { personEyes } from '../../support/event-server.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { randomConversation } from './random-conversation.ts';
import { randomOf } from './random-history.ts';

type Read = AnyEvent & { readonly id: string };

/** `RANDOM_SEED` repeats one conversation; `RANDOM_CONVERSATIONS` says how many. */
const SEED = Number(process.env['RANDOM_SEED'] ?? 0);
const CONVERSATIONS = Number(process.env['RANDOM_CONVERSATIONS'] ?? 1);
const STEPS = 70;
const pg = testDatabase();

it('of random conversations, from every id come exactly the events that a reader has not got', {
  timeout: 60_000 * CONVERSATIONS,
}, async () => {
  const db = pg.database;
  const logins: string[] = [];
  const gateway = openPostgres(await createLogin(pg.connectionString, 'animus_gateway', logins), { poolSize: 4 });
  const clock = await fakeDatabaseClock(db, '2026-11-01T10:00:00Z');
  try {
    for (let n = 0; n < CONVERSATIONS; n++) {
      const seed = SEED || 2000 + n;
      const random = randomOf(seed);
      const readers: ReturnType<typeof reader>[] = [];
      const later = () => clock.set('+60 seconds');
      const chat = await randomConversation(
        db,
        random,
        async (person, act) => {
          await personEyes(gateway, person).look(async (tx) => {
            await act(tx);
            // Others read before it is committed.
            for (const one of readers) await one.perhaps();
          });
        },
        later,
      );
      readers.push(...[1, 0.3, 0.03].map((often) => reader(db, chat.id, often, random)));
      for (let step = 0; step < STEPS; step++) {
        if (random() < 0.9) await clock.set(`+${random() < 0.05 ? '-2' : '0.01'} seconds`);
        await chat.step();
        for (const one of readers) await one.perhaps();
      }
      await chat.finish();
      for (const one of readers) await one.rest();
      await check(db, chat.id, readers, random, `seed ${seed}`);
    }
  } finally {
    await gateway.close();
    await dropLogins(logins);
  }
});

async function check(
  db: Queryable,
  id: string,
  readers: readonly ReturnType<typeof reader>[],
  random: () => number,
  seed: string,
) {
  const all = await readAll(db, id, null, random);
  const keys = all.map(keyOf);
  // Two events of one moment may be alike, but for their ids.
  expect(new Set(all.map((event) => event.id)).size, `${seed}: an event comes twice`).toBe(all.length);
  for (const [index, { id: after }] of all.entries()) {
    // The next ones, with their ids: so from each id all that follow.
    const { events, more } = await readSome(db, id, after, 10_000);
    const which = `${seed}: after event ${index}, ${keys[index]}`;
    expect(events, which).toEqual(all.slice(index + 1, index + 1 + events.length));
    expect(more || index + 1 + events.length === all.length, which).toBe(true);
  }
  expectOrder(all, seed);
  await expectComplete(db, id, all, seed);

  // Events of answers that were deleted meanwhile are only for those who read them before.
  const hidden = new Set(
    all.flatMap((event) => (event.type === 'answered' && event.text === null ? [event.workItemId] : [])),
  );
  const shown = (seen: readonly Read[]) => seen.filter((event) => !hidden.has(event.workItemId)).map(keyOf);
  for (const { seen } of readers) {
    expect(shown(seen).toSorted(), `${seed}: a reader on the way`).toEqual(shown(all).toSorted());
  }
  for (const [index, event] of readers[0]!.seen.entries()) {
    if (random() > 0.05) continue;
    const before = shown(readers[0]!.seen.slice(0, index + 1));
    const rest = shown(await readAll(db, id, event.id, random));
    expect([...before, ...rest].toSorted(), `${seed}: after ${keyOf(event)}`).toEqual(shown(all).toSorted());
  }
}

/** The events of an answer stand between what began it and its end. */
function expectOrder(all: readonly Read[], seed: string): void {
  const open = new Set<string>();
  for (const event of all) {
    const item = event.workItemId;
    if (item === null) continue;
    if (event.type === 'retried' || (event.type === 'said' && !event.told)) open.add(item);
    else if (event.type === 'answered') expect(open.delete(item), `${seed}: ${keyOf(event)}`).toBe(true);
    else expect(open.has(item), `${seed}: ${keyOf(event)}`).toBe(true);
  }
  expect([...open], seed).toEqual([]);
}

/** An item's own stream has nothing more but what was written to it after its end, or belongs to an answer that was deleted. */
async function expectComplete(db: Queryable, id: string, all: readonly Read[], seed: string): Promise<void> {
  const items = new Set(all.flatMap(({ workItemId }) => (workItemId === null ? [] : [workItemId])));
  const deleted = new Set(
    all.flatMap((event) => (event.type === 'answered' && event.text === null ? [event.workItemId] : [])),
  );
  for (const item of items) {
    if (deleted.has(item)) continue;
    const got = new Set(all.filter(({ workItemId }) => workItemId === item).map(keyOf));
    const { events } = await readEvents(db, { kind: 'work', id: item }, null, 10_000);
    const missing = events.filter((event) => !got.has(keyOf(event)));
    const end = events.findLastIndex(({ type }) => type === 'done');
    const late = (event: Read) =>
      event.type === 'ledger' || event.type === 'observation' || events.indexOf(event as never) > end;
    expect(missing.filter((event) => !late(event)).map(keyOf), `${seed} ${id}: of ${item}`).toEqual([]);
  }
}

/** Reads a page now and then, from where it is. */
function reader(db: Queryable, id: string, often: number, random: () => number) {
  const seen: Read[] = [];
  const read = async () => {
    const { events, more } = await readSome(db, id, seen.at(-1)?.id ?? null, 1 + Math.floor(random() * 5));
    seen.push(...events);
    return more;
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
    const rows = random() < 0.5 ? 100 : 1 + Math.floor(random() * 4);
    const page = await readSome(db, id, all.at(-1)?.id ?? after, rows);
    all.push(...page.events);
    more = page.more;
  }
  return all;
}

async function readSome(db: Queryable, id: string, after: string | null, limit: number) {
  const from = after === null ? CONVERSATION_BEGINNING : readConversationCursor(id, after);
  const page = await readConversationPage(db, id, from, limit);
  const events = page!.events.map(({ event, after: at }): Read => ({ ...event, id: writeConversationCursor(id, at) }));
  return { events, more: page!.more };
}

/** What an event is, without its id, its time, and what a deletion takes from it. */
function keyOf({ id: _id, ...event }: Read): string {
  const { text: _text, attachments: _files, ...rest } = event as AnyEvent & { text?: string; attachments?: unknown };
  return JSON.stringify(['said', 'answered', 'message', 'done'].includes(event.type) ? rest : event);
}
