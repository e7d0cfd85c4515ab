/** Promise: what a daemon records of itself is what it knew last, whatever statement is committed last. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createRegistration } from '../../../src/daemon/presence/registration.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';

/** A database whose first registrations are slow: what it would commit last is not what was sent last. */
function slowAtFirst() {
  const recorded: string[][] = [];
  const waiting: (() => void)[] = [];
  const db = {
    kind: 'server',
    async query(_sql: string, values: readonly unknown[]) {
      if (waiting.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      recorded.push(Object.keys(JSON.parse(String(values[5])) as object));
      recorded.push(JSON.parse(String(values[6])) as string[]);
      return [];
    },
  } as unknown as Database;
  return { db, recorded, release: () => waiting[0]!() };
}

test('two changes at the same time are recorded in their order', async () => {
  const { db, recorded, release } = slowAtFirst();
  const registration = createRegistration({
    db,
    clock: systemClock,
    log: silentLog,
    settings: () => loadConfig({ env: { HOME: '/nowhere' }, cwd: '/nowhere' }),
    daemon: { id: randomUUID(), host: 'host', pid: 7, version: 'test' },
    maxConcurrent: () => 1,
  });
  const report = registration.reportOn('config');
  const first = report(['the key is missing']);
  const second = report([]);
  // The first statement is under way.
  await Promise.resolve();
  release();
  await Promise.all([first, second]);
  expect(recorded.at(-1)).toEqual([]);
  await report(['it is missing again']);
  expect(recorded.at(-1)).toEqual(['it is missing again']);
});
