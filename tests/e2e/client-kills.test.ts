/** The client over servers that are killed: each event once, each effect once. */
import { expect, it, onTestFinished } from 'vitest';
import { createClient, type WorkEvent } from '../../src/client/client.ts';
import { appendLedger } from '../../src/store/transcript/ledger.ts';
import { completeWork } from '../../src/store/work/work.ts';
import { beginFocus } from '../support/begun-focus.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startHttpProcess } from '../support/http-process.ts';
import { createPerson, createToken } from '../support/people.ts';

const pg = testDatabase({ anew: true });
const ENTRIES = 6;

it('a reader of events gets each once, and what is submitted meanwhile is submitted once', {
  timeout: 300_000,
}, async () => {
  await createPerson(pg.database, 'olga', 'operator');
  const { secret } = await createToken(pg.database, 'olga');
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const client = createClient({ baseUrl, token: secret, retries: 12 });
  const work = await beginFocus(pg.database);
  const events: WorkEvent[] = [];
  const isSeen = (content: string) => events.some((event) => event.type === 'ledger' && event.content === content);

  let server = await startHttpProcess(port, pg.connectionString);
  const following = client.wait(work.id, { onEvent: (event) => events.push(event) });
  const submitted: Promise<{ readonly id: string }>[] = [];
  for (let n = 1; n <= ENTRIES; n++) {
    await appendLedger(pg.database, work.id, 'note', `entry ${n}`, { leaseToken: work.leaseToken });
    submitted.push(client.work.submit({ faculty: 'killed', description: `item ${n}` }));
    // Every second time before the entry was read, or may have been.
    if (n % 2 === 0) await eventually(`entry ${n} is read`, async () => isSeen(`entry ${n}`) || null);
    await server.kill();
    server = await startHttpProcess(port, pg.connectionString);
  }
  await completeWork(pg.database, work, {}, 'all done');

  expect(await following).toMatchObject({ state: 'completed', outcome_summary: 'all done' });
  const recorded = events.filter((event) => 'id' in event);
  expect(recorded.map((event) => (event.type === 'ledger' ? event.content : event.type))).toEqual([
    'state',
    'state',
    ...Array.from({ length: ENTRIES }, (_, index) => `entry ${index + 1}`),
    'done',
  ]);
  const ids = (await Promise.all(submitted)).map(({ id }) => id);
  const rows = await pg.database.query<{ id: string }>(
    `select id from animus.work_items where faculty = 'killed' order by substr(description, 6)::int`,
  );
  expect(rows.map(({ id }) => id)).toEqual(ids);
});

it('with two addresses, a reader and a WebSocket get each event once while one server after the other is killed', {
  timeout: 300_000,
}, async () => {
  await createPerson(pg.database, 'otto', 'operator');
  const { secret } = await createToken(pg.database, 'otto');
  const ports = [await freePort(), await freePort()] as const;
  const servers = [
    await startHttpProcess(ports[0], pg.connectionString),
    await startHttpProcess(ports[1], pg.connectionString),
  ];
  const client = createClient({ baseUrl: ports.map((port) => `http://127.0.0.1:${port}`), token: secret });
  const work = await beginFocus(pg.database);
  const [read, heard]: [WorkEvent[], WorkEvent[]] = [[], []];
  const isSeen = (content: string) =>
    [read, heard].every((events) => events.some((event) => event.type === 'ledger' && event.content === content));
  const socket = client.openSocket();
  onTestFinished(() => socket.close());
  const listening = (async () => {
    for await (const event of socket.work(work.id)) heard.push(event);
  })();
  const following = client.wait(work.id, { onEvent: (event) => read.push(event) });
  const submitted: string[] = [];
  for (let n = 0; n < 4; n++) {
    await appendLedger(pg.database, work.id, 'note', `entry ${n}`, { leaseToken: work.leaseToken });
    await eventually(`entry ${n} is read`, async () => isSeen(`entry ${n}`) || null);
    await servers[n % 2]!.kill();
    submitted.push((await client.work.submit({ faculty: 'moved', description: `item ${n}` })).id);
    servers[n % 2] = await startHttpProcess(ports[n % 2]!, pg.connectionString);
  }
  await completeWork(pg.database, work, {}, 'all done');
  await Promise.all([following, listening]);
  for (const events of [read, heard]) {
    const contents = events.flatMap((event) => (event.type === 'ledger' ? event.content : []));
    expect(contents).toEqual(['entry 0', 'entry 1', 'entry 2', 'entry 3']);
  }
  const rows = await pg.database.query<{ id: string }>(
    `select id from animus.work_items where faculty = 'moved' order by description`,
  );
  expect(rows.map(({ id }) => id)).toEqual(submitted);
});
