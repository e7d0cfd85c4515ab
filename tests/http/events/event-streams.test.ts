import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tellWatchers } from '../../../src/store/events/live/live-pieces.ts';
import { decodeCursor, encodeCursor } from '../../../src/store/events/position.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { finishToolCalls } from '../../../src/store/transcript/calls.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { cancelWork, retryWork } from '../../../src/store/work/operate.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { type GotEvent, readEventStream } from '../../support/event-reader.ts';
import { type EventServer, eyesThat, personEyes, startEventServer } from '../../support/event-server.ts';
import { eventually } from '../../support/eventually.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const pg = testDatabase();
let server: EventServer;
/** Reads of the tables by all readers of `server`. */
let looks = 0;
const logins: string[] = [];
beforeAll(async () => {
  server = await startEventServer(pg.database, (key) =>
    eyesThat(key, (look) => {
      looks++;
      return look(pg.database);
    }),
  );
});
afterAll(async () => {
  await server.stop();
  await dropLogins(logins);
});

const gist = ({ type, data }: GotEvent) => `${type} ${(data['call_id'] ?? data['state'] ?? '') as string}`.trim();
const recorded = (events: readonly GotEvent[]) => events.filter(({ id }) => id !== null);

describe('a stream of the events of work', () => {
  it('gives what has happened, what happens, and ends with the work', async () => {
    const work = await beginFocus(pg.database);
    const reader = await read(work);
    await reader.until(({ data }) => data['state'] === 'running' && data['live'] !== true);
    await recordCalls(pg.database, work, 1, ['a']);
    await reader.until(({ type }) => type === 'call');
    await end(work, 1, 'a');
    await reader.until(({ type }) => type === 'observation');
    await completeWork(pg.database, work, { ok: true }, 'all done');
    await reader.ended;
    expect(recorded(reader.events).map(gist)).toEqual([
      'state queued',
      'state running',
      'turn',
      'call a',
      'observation a',
      'done completed',
    ]);
    expect(recorded(reader.events).at(-1)!.data).toMatchObject({ summary: 'all done', work_item_id: work.id });
    expect(reader.events.at(-1)!.type).toBe('done');
  });

  it('goes on after every id without a gap or a repetition', async () => {
    const work = await beginFocus(pg.database);
    await recordCalls(pg.database, work, 1, ['a', 'b']);
    await end(work, 1, 'b');
    await appendLedger(pg.database, work.id, 'finding', 'found it', { leaseToken: work.leaseToken });
    await end(work, 1, 'a');
    await completeWork(pg.database, work, {}, null);
    const whole = await read(work);
    await whole.ended;
    const all = recorded(whole.events);
    expect(all.map(gist)).toContain('ledger');
    for (const [index, { id }] of all.entries()) {
      const again = await read(work, id);
      await again.ended;
      if (index === all.length - 1) expect(again.status).toBe(204);
      expect(recorded(again.events)).toEqual(all.slice(index + 1));
    }
  });

  it('shows the end of an item that is retried, and what follows', async () => {
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty) values ('retried') returning id`,
    );
    const first = await readEventStream(`${server.url}/work/${row!.id}/events`);
    await first.until(({ type }) => type === 'state');
    await cancelWork(pg.database, row!.id, 'not now');
    await first.ended;
    const last = recorded(first.events).at(-1)!;
    expect(gist(last)).toBe('done cancelled');
    await retryWork(pg.database, row!.id);
    const second = await readEventStream(`${server.url}/work/${row!.id}/events`, { after: last.id });
    expect(gist(await second.until(({ id }) => id !== null))).toBe('state queued');
    await second.leave();
    const whole = await readEventStream(`${server.url}/work/${row!.id}/events`);
    await whole.until(({ data }) => data['by'] !== undefined && data['state'] === 'queued' && whole.events.length > 3);
    expect(recorded(whole.events).map(gist)).toEqual([
      'state queued',
      'state cancelling',
      'done cancelled',
      'state queued',
    ]);
    await whole.leave();
  });

  it('shows the text of an answer while it comes, also to a reader that joins meanwhile', async () => {
    const work = await beginFocus(pg.database);
    const reader = await read(work);
    await reader.until(({ data }) => data['live'] === true);
    await pg.database.query('select animus.begin_turn($1, $2, 1)', [work.key.focusId, work.leaseToken]);
    const piece = (from: number, text: string) =>
      tellWatchers(pg.database, work.key, { focus: 1, turn: 1, from, text });
    await eventually('a watcher', async () => ((await piece(0, 'Hel')) ? true : null));
    await piece(3, 'lo');
    await reader.until(({ type, data }) => type === 'text' && data['from'] === 3);
    const late = await read(work);
    const [text] = [await late.until(({ type }) => type === 'text')];
    expect(text).toMatchObject({ id: null, data: { live: true, from: 0, text: 'Hello', turn: 1 } });
    await Promise.all([reader.leave(), late.leave()]);
  });

  it('shows what code prints while it runs, also to a reader that joins meanwhile, and then the result', async () => {
    const work = await beginFocus(pg.database);
    const reader = await read(work);
    await reader.until(({ data }) => data['live'] === true);
    await recordCalls(pg.database, work, 1, ['run-1'], 'execute_code');
    const place = { focus: 1, turn: 1, call: 'run-1', stream: 'stdout' } as const;
    const print = (from: number, output: string) => tellWatchers(pg.database, work.key, { ...place, from, output });
    await eventually('a watcher', async () => ((await print(0, 'one\n')) ? true : null));
    await print(4, 'two\n');
    const hint = await reader.until(({ type, data }) => type === 'observation' && data['from'] === 4);
    expect(hint).toMatchObject({
      id: null,
      data: { live: true, focus: 1, turn: 1, call_id: 'run-1', stream: 'stdout', text: 'two\n', work_item_id: work.id },
    });
    const late = await read(work);
    expect(await late.until(({ type }) => type === 'observation')).toMatchObject({
      id: null,
      data: { from: 0, text: 'one\ntwo\n' },
    });
    // What is missing is left out: the newest part begins where it begins.
    await print(1000, 'much later\n');
    await late.until(({ data }) => data['from'] === 1000);
    const latest = await read(work);
    expect(await latest.until(({ type }) => type === 'observation')).toMatchObject({
      data: { from: 1000, text: 'much later\n' },
    });
    const result = {
      turn: 1,
      callId: 'run-1',
      output: '{"exit_status":0}',
      isError: false,
      details: null,
      durationMs: 1,
    };
    await finishToolCalls(pg.database, work.key, [{ ...result, state: 'done' }]);
    for (const one of [reader, late, latest]) await one.until(({ type, id }) => type === 'observation' && id !== null);
    const recordedOnes = recorded(reader.events).filter(({ type }) => type === 'observation');
    expect(recordedOnes).toMatchObject([{ data: { call_id: 'run-1', output: '{"exit_status":0}' } }]);
    const after = await read(work);
    await after.until(({ data }) => data['live'] === true && data['type'] === 'state');
    expect(after.events.filter(({ type, id }) => type === 'observation' && id === null)).toEqual([]);
    await Promise.all([reader, late, latest, after].map((one) => one.leave()));
  });

  it('of many readers costs one read per change', async () => {
    const work = await beginFocus(pg.database);
    const readers = await Promise.all(Array.from({ length: 20 }, () => read(work)));
    await Promise.all(readers.map((reader) => reader.until(({ data }) => data['live'] === true)));
    await eventually('one watched item', () => (server.hub.watched === 1 ? true : null));
    const before = looks;
    await appendLedger(pg.database, work.id, 'note', 'one', { leaseToken: work.leaseToken });
    await Promise.all(readers.map((reader) => reader.until(({ type }) => type === 'ledger')));
    // The hub may also have looked by itself meanwhile.
    expect(looks - before).toBeLessThan(5);
    await Promise.all(readers.map((reader) => reader.leave()));
    await eventually('no watched item', () => (server.hub.watched === 0 ? true : null));
  });

  it('of an item that changes all the time shows each change once, in order', async () => {
    const work = await beginFocus(pg.database);
    const reader = await read(work);
    await reader.until(({ data }) => data['live'] === true);
    const ENTRIES = 300;
    for (let n = 1; n <= ENTRIES; n++) {
      await appendLedger(pg.database, work.id, 'note', `entry ${n}`, { leaseToken: work.leaseToken });
    }
    await reader.until(({ data }) => data['seq'] === ENTRIES);
    expect(reader.events.flatMap(({ data }) => data['seq'] ?? [])).toEqual(
      Array.from({ length: ENTRIES }, (_, n) => n + 1),
    );
    await reader.leave();
  });

  it('is not there for one who may not see the work, as for an id that does not exist', async () => {
    const login = await createLogin(pg.connectionString, 'animus_gateway', logins);
    const db = openPostgres(login, { poolSize: 4 });
    const door = await startEventServer(db, (name) => personEyes(db, name));
    try {
      const [row] = await personEyes(db, 'alice').look((tx) =>
        tx.query<{ id: string }>(`select id from animus.submit_work('f', 'hers')`),
      );
      const path = (id: string) => `${door.url}/work/${id}/events`;
      const hers = await readEventStream(path(row!.id), { actor: 'alice' });
      expect(hers.status).toBe(200);
      await hers.until(({ id }) => id !== null);
      const bob = await readEventStream(path(row!.id), { actor: 'bob' });
      const none = await readEventStream(path('00000000-0000-7000-8000-000000000000'), { actor: 'bob' });
      expect([bob.status, none.status]).toEqual([404, 404]);
      await hers.leave();
    } finally {
      await door.stop();
      await db.close();
    }
  });

  it('refuses an id that is none of its events', async () => {
    const [one, other] = [await beginFocus(pg.database), await beginFocus(pg.database)];
    const reader = await read(one);
    const { id } = await reader.until((event) => event.id !== null);
    await reader.leave();
    for (const after of [id, 'nonsense', Buffer.from('{"w":"x"}').toString('base64url')]) {
      expect((await read(other, after)).status).toBe(400);
    }
    // Numbers and texts that the database cannot hold.
    const too = [
      { f: 2 ** 31 },
      { t: 2 ** 31 - 1 },
      { m: 2 ** 63 },
      { n: { '\0': ['{}', '{}'] } },
      { e: '{[0,9999999999)}' },
    ];
    for (const fields of [...too, { n: { '\ud800': ['{}', '{}'] } }, { n: { a: ['{[2,1)}', '{}'] } }, { z: 2 }]) {
      const after = encodeCursor({ ...(decodeCursor(id!) as object), ...fields });
      expect((await read(one, after)).status, JSON.stringify(fields)).toBe(400);
    }
  });
});

function read(work: FocusedWork, after: string | null = null) {
  return readEventStream(`${server.url}/work/${work.id}/events`, { after });
}

async function end(work: FocusedWork, turn: number, callId: string): Promise<void> {
  const result = { turn, callId, state: 'done' as const, output: 'ok', isError: false, details: null, durationMs: 1 };
  await finishToolCalls(pg.database, work.key, [result]);
}
