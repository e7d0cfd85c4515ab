/** The login with which the API reaches its database. */
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { serveApi } from '../../../src/http/api/serve-api.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
afterAll(() => dropLogins(logins));

test.each([
  ['animus_daemon', 1],
  ['animus_gateway', 0],
] as const)(
  'a login of role %s: the start says whether it may act for people, and what to run',
  async (role, warnings) => {
    const said: object[] = [];
    const log: Log = {
      ...silentLog,
      warn: (fields: object, message: string) => void said.push({ ...fields, message }),
    };
    const db = openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 });
    const settings = { allowedHosts: [], allowedOrigins: [], requestsPerMinute: 10 };
    const parts = { db, log, clock: systemClock, version: '1', settings, models: () => [] };
    const api = await serveApi(parts as unknown as Parameters<typeof serveApi>[0]);
    await api.stop();
    await db.close();
    expect(said).toHaveLength(warnings);
    for (const one of said) {
      expect(one).toMatchObject({
        login: logins.at(-1),
        remedy: `run as a superuser: grant animus_gateway to "${logins.at(-1)}"`,
        message: expect.stringContaining('may not act for people'),
      });
    }
  },
);
