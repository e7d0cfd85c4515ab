/** Promise: a daemon that can claim nothing is not ready, and says why. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createReadiness } from '../../../src/daemon/presence/readiness.ts';
import { openHealthServer } from '../../../src/http/health-server.ts';
import type { Notifications } from '../../../src/store/postgres/notifications.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { testDatabase } from '../../support/database.ts';

const pg = testDatabase();

test('/readyz answers 503 with the error while nothing can be claimed, and 200 otherwise', async () => {
  const home = mkdtempSync(join(tmpdir(), 'ready-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  let address = '';
  const readiness = createReadiness({
    http: { host: '127.0.0.1', port: 0, configured: true },
    api: null,
    home,
    version: '0',
    daemonId: 'd',
    clock: systemClock,
    log: silentLog,
    openHealth(at, look) {
      const server = openHealthServer(at, look);
      return {
        ...server,
        async start() {
          await server.start();
          address = `http://127.0.0.1:${server.address().port}/readyz`;
        },
      };
    },
  });
  await readiness.start();
  onTestFinished(() => readiness.stop());
  readiness.watchDatabase(pg.database);
  readiness.watchNotifications({ listening: () => true } as Notifications);
  let claims = 'ok';
  readiness.watchClaims(() => claims);
  readiness.enter('serving');
  const ready = async () => {
    const response = await fetch(address);
    return { status: response.status, checks: ((await response.json()) as { checks: object }).checks };
  };
  const checks = { database: 'ok', schema: 'ok', listening: 'ok' };
  expect(await ready()).toEqual({ status: 200, checks: { ...checks, claims: 'ok' } });
  claims = 'no work could be claimed for 3 min: the application refuses it';
  expect(await ready()).toEqual({ status: 503, checks: { ...checks, claims } });
});
