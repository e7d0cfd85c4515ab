/**
 * Random lives of an item and of a conversation, and readers of them that come and go, are slow, lose their rights and their database, while
 * the connection that listens is cut. Each must get exactly what happened.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import { type Clock, systemClock } from '../../../src/core/lifecycle/clock.ts';
import { isTerminal } from '../../../src/core/work/work.ts';
import { type EventHub, openEventHub } from '../../../src/http/events/event-hub.ts';
import { followItem, readBeginning } from '../../../src/http/events/follow-item.ts';
import type { Frame, Sink } from '../../../src/http/events/frame.ts';
import { beginningOf, readPlaces, writePlace } from '../../../src/store/events/places.ts';
import type { EventScope } from '../../../src/store/events/read-events.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { randomOf } from '../../store/events/random-history.ts';
import { testDatabase } from '../../support/database.ts';
import { fakeDatabaseClock } from '../../support/database-clock.ts';
import { eyesThat } from '../../support/event-server.ts';
import { eventually } from '../../support/eventually.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { randomLife } from './random-life.ts';

/** `RANDOM_SEED` repeats the choices of one life; `RANDOM_LIVES` says how many. */
const SEED = Number(process.env['RANDOM_SEED'] ?? 0);
const LIVES = Number(process.env['RANDOM_LIVES'] ?? 1);
const STEPS = 60;
const READERS = 8;
/** Time runs so many times faster for the hub and the readers: what is checked each minute is checked each second. */
const FASTER = 50;

const clock: Clock = {
  nowMs: () => systemClock.nowMs(),
  monotonicMs: () => systemClock.monotonicMs() * FASTER,
  sleep: (ms, signal) => systemClock.sleep(ms / FASTER, signal),
};
let hub: EventHub;
afterEach(() => hub.stop());

describe.each(['work', 'conversation'] as const)('readers of random events: %s', (kind) => {
  const pg = testDatabase();
  it('get each of them once', { timeout: 90_000 * LIVES }, async () => {
    const db = pg.database;
    const logins: string[] = [];
    const gateway = openPostgres(await createLogin(pg.connectionString, 'animus_gateway', logins), { poolSize: 4 });
    const fake = await fakeDatabaseClock(db, '2026-11-01T10:00:00Z');
    hub = openEventHub({ db, clock, log: silentLog });
    await hub.start();
    try {
      for (let n = 0; n < LIVES; n++) {
        const random = randomOf(SEED || 3000 + n);
        const { scope, step, finish } = await randomLife(kind, db, random, gateway, (by) => fake.set(by));
        const readers = Array.from({ length: READERS }, () => startReader(db, scope, random));
        for (let at = 0; at < STEPS; at++) {
          await step();
          if (random() < 0.05) await cutListener(db);
          if (random() < 0.1) await appendLarge(db, scope, random);
        }
        await finish();
        const all = await readAll(db, scope);
        const hidden = hiddenOf(all);
        const shown = shownOf(all, hidden);
        for (const [which, reader] of readers.entries()) {
          await eventually(
            `reader ${which} has all (seed ${SEED || 3000 + n})`,
            () => (reader.failure || shownOf(reader.got, hidden).length >= shown.length ? true : null),
            20,
          ).catch((error: unknown) => {
            const has = new Set(shownOf(reader.got, hidden));
            throw new Error(`${String(error)}: it lacks ${shown.filter((key) => !has.has(key)).join('\n')}`);
          });
          await reader.stop();
          expect(reader.failure).toBeNull();
          expect(shownOf(reader.got, hidden), `reader ${which}`).toEqual(shown);
        }
        expect(hub.watched).toBe(0);
      }
    } finally {
      await gateway.close();
      await dropLogins(logins);
    }
  });
});

interface Got {
  readonly id: string;
  readonly key: string;
  readonly item: unknown;
  readonly hides: boolean;
}

/** Connects again and again, as a client does, until `stop`. */
function startReader(db: Queryable, scope: EventScope, random: () => number) {
  const stopping = new AbortController();
  const got: Got[] = [];
  let failure: unknown = null;
  const pause = () => new Promise((resolve) => setTimeout(resolve, random() < 0.7 ? 0 : 20 * random()));
  const take = (frames: readonly Frame[]) => {
    for (const { id, json } of frames)
      if (id !== null) got.push(gotOf(id, JSON.parse(json) as Record<string, unknown>));
  };
  const eyes = () =>
    eyesThat(`some ${Math.floor(random() * 3)}`, async (look) => {
      await pause();
      if (random() < 0.02) throw new AnimusError('db.unreachable', { where: 'x', detail: 'x', hint: '' });
      if (random() < 0.02) throw new AnimusError('http.unauthorized', { detail: 'x' });
      const result = await look(db);
      await pause();
      return result;
    });
  const sink: Sink = {
    send(frames) {
      take(frames);
      return random() < 0.8;
    },
    drained: async () => void (await pause()),
  };

  async function connect(): Promise<void> {
    const own = eyes();
    const leaving = new AbortController();
    const until = AbortSignal.any([leaving.signal, stopping.signal]);
    const beginning = await readBeginning(own, scope, got.at(-1)?.id ?? null);
    const over = scope.kind === 'work' && beginning.page.items.every(({ state }) => isTerminal(state));
    if (over && beginning.page.events.length === 0) return;
    const frames = followItem({ hub, clock }, own, scope, beginning, until, random() < 0.5 ? sink : null);
    // It leaves at any moment, also while nothing happens; or never.
    const patience = random() < 0.5 ? setTimeout(() => leaving.abort(), 300 * random()) : undefined;
    try {
      while (!until.aborted) {
        const next = await frames.next();
        if (next.done) break;
        take(next.value);
        await pause();
        if (random() < 0.02) break;
      }
    } finally {
      clearTimeout(patience);
      await frames.return(undefined);
    }
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await connect();
      } catch (error) {
        if (!(error instanceof AnimusError) || !['db.unreachable', 'http.unauthorized'].includes(error.code)) {
          failure = error;
          return;
        }
      }
      await pause();
    }
  })();
  return {
    got,
    get failure() {
      return failure;
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** A few of them are more than readers share. */
async function appendLarge(db: Queryable, { kind, id }: EventScope, random: () => number): Promise<void> {
  if (kind !== 'work') return;
  for (let n = 0; n < 6; n++) await appendLedger(db, id, 'note', `${random()} ${'x'.repeat(250_000)}`);
}

async function cutListener(db: Queryable): Promise<void> {
  await db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'animus-listen'`,
  );
}

async function readAll(db: Queryable, scope: EventScope): Promise<Got[]> {
  const all: Got[] = [];
  for (let from = beginningOf(scope), more = true; more; ) {
    const [page] = await readPlaces(db, [{ scope, from }]);
    for (const { event, after } of page!.events) {
      const { atMs: _, ...fields } = event;
      all.push(gotOf(writePlace(scope, after), snake(fields)));
    }
    from = page!.position;
    more = page!.more;
  }
  return all;
}

function snake(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
  );
}

/** What an event is, without its id, its time, and what a deletion takes from it. */
function gotOf(id: string, { id: _id, at: _at, ...fields }: Record<string, unknown>): Got {
  const { text, attachments: _files, content, ...rest } = fields;
  const isShort = ['said', 'answered', 'message'].includes(String(fields['type']));
  const key = JSON.stringify(isShort ? rest : { ...rest, text, content: String(content).slice(0, 30) });
  return { id, key, item: fields['work_item_id'], hides: fields['type'] === 'answered' && text === null };
}

/** Answers that were deleted: only who read them before has their events. */
function hiddenOf(got: readonly Got[]): ReadonlySet<unknown> {
  return new Set(got.flatMap(({ hides, item }) => (hides ? [item] : [])));
}

function shownOf(got: readonly Got[], hidden: ReadonlySet<unknown>): string[] {
  return got
    .filter(({ item }) => !hidden.has(item))
    .map(({ key }) => key)
    .toSorted();
}
