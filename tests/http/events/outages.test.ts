import { afterAll, beforeAll, expect, test } from 'vitest';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { type EventHub, openEventHub } from '../../../src/http/events/event-hub.ts';
import { followItem, readBeginning } from '../../../src/http/events/follow-item.ts';
import type { EventScope } from '../../../src/store/events/read-events.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { eyesThat } from '../../support/event-server.ts';

const pg = testDatabase();
/** A second passes in a hundredth. */
const clock = { ...systemClock, sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 100, signal) };
let hub: EventHub;
beforeAll(async () => {
  hub = openEventHub({ db: pg.database, clock, log: silentLog });
  await hub.start();
});
afterAll(() => hub.stop());

test.each([null, 'an id'])(
  'a stream survives an outage at each of its reads of the tables; it begins after %s',
  async (after) => {
    const work = await beginFocus(pg.database);
    const scope: EventScope = { kind: 'work', id: work.id };
    await appendLedger(pg.database, work.id, 'note', 'before');
    const all = await read(scope, null, () => null);
    const beginning = after === null ? null : all.ids[0]!;
    for (let down = 2; down < 8; down++) {
      const { ids, looks } = await read(scope, beginning, (look) =>
        look === down ? new AnimusError('db.unreachable', { where: 'x', detail: 'x', hint: '' }) : null,
      );
      expect(ids, `at the ${down}th read`).toEqual(beginning === null ? all.ids : all.ids.slice(1));
      if (looks < down) break;
    }
    expect(hub.watched).toBe(0);
    await completeWork(pg.database, work, {}, null);
  },
);

/** What comes until the reader has read everything that was recorded. `fail`: the error of a look at the tables. */
async function read(scope: EventScope, after: string | null, fail: (look: number) => Error | null) {
  let looks = 0;
  const eyes = eyesThat('any', async (look) => {
    const error = fail(++looks);
    if (error !== null) throw error;
    return look(pg.database);
  });
  const leaving = new AbortController();
  const beginning = await readBeginning(eyes, scope, after);
  const ids: string[] = [];
  for await (const frames of followItem({ hub, clock }, eyes, scope, beginning, leaving.signal)) {
    ids.push(...frames.flatMap(({ id }) => id ?? []));
    if (frames.some(({ type, id }) => type === 'state' && id === null)) break;
  }
  return { ids, looks };
}
