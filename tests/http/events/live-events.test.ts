import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { openLiveEvents } from '../../../src/http/events/live-events.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const pg = testDatabase();

test.each([true, false])('nothing listens after the end, when it had readers: %s', async (begun) => {
  const live = openLiveEvents(pg.database, systemClock, silentLog);
  if (begun) await live.services();
  // A request that was under way asks for streams while they end.
  const [early] = await Promise.allSettled([live.services(), live.stop()]);
  await expect(live.services()).rejects.toMatchObject({ code: 'http.starting' });
  if (begun) expect(early.status).toBe('fulfilled');
  await eventually('no connection is left', async () => {
    const [row] = await pg.database.query<{ listening: number }>(
      `select count(*)::int as listening from pg_stat_activity where datname = current_database() and application_name = 'animus-listen'`,
    );
    return row!.listening === 0 ? true : null;
  });
});
