/** Requests to the API, and an event that it streams. */
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { type EventReader, readEventStream } from '../../support/event-reader.ts';
import { createPerson } from '../../support/people.ts';
import { type Cost, least, type Meter } from '../meter.ts';

const SAMPLES = 6;
/** A connection that has done a statement five times may keep its plan. */
const WARM = 8;

/** `gateway`: the connection string of a login that may do nothing but act for people. */
export async function countRequests(owner: Database, gateway: string, meter: Meter): Promise<Record<string, Cost>> {
  const db = openPostgres(meter.through(gateway), { poolSize: 4 });
  try {
    await createPerson(owner, 'alice', 'submitter');
    await createPerson(owner, 'olga', 'operator');
    const api = await startApi(owner, { db });
    const { body: item } = await api.call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
    const rows: Record<string, Cost> = {};
    for (const [name, person, method, path, body] of [
      ['GET /work/ID', 'alice', 'GET', `/work/${item.id}`],
      ['POST /work', 'alice', 'POST', '/work', { faculty: 'engineer', description: 'Do it.' }],
      ['GET /work', 'alice', 'GET', '/work?limit=20'],
      ['GET /status', 'olga', 'GET', '/status'],
    ] as const) {
      const request = async () => {
        const { status } = await api.call(person, method, path, body && { body });
        if (status >= 300) throw new Error(`${name} answers ${status}`);
      };
      for (let n = 0; n < WARM; n++) await request();
      rows[name] = await least(SAMPLES, () => meter.count(request));
    }
    for (const readers of [1, 10]) Object.assign(rows, await countEvents(owner, api, meter, readers));
    await api.stop();
    return rows;
  } finally {
    await db.close();
  }
}

/** Readers of one item. */
async function countEvents(
  owner: Database,
  api: TestApi,
  meter: Meter,
  readers: number,
): Promise<Record<string, Cost>> {
  const headers = { authorization: `Bearer ${await api.tokenOf('olga')}` };
  const { id, leaseToken, key } = await beginFocus(owner);
  const streams: EventReader[] = [];
  for (let n = 0; n < readers; n++)
    streams.push(await readEventStream(`${api.url}/api/v1/work/${id}/events`, { headers }));
  let sent = 0;
  const send = async () => {
    const content = `entry ${++sent}`;
    await appendLedger(owner, id, 'note', content, { leaseToken, focusId: key.focusId });
    await Promise.all(streams.map((stream) => stream.until(({ data }) => data['content'] === content)));
  };
  for (let n = 0; n < WARM; n++) await send();
  const cost = await least(SAMPLES, () => meter.count(send));
  await Promise.all(streams.map((stream) => stream.leave()));
  return { [`event to ${readers} reader${readers === 1 ? '' : 's'} of an item`]: cost };
}
