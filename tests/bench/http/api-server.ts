/**
 * A process that serves the API of DATABASE_URL, as `animus http` does. Prints its URL, and to each line on its input its memory (bytes) and
 * processor time (ms).
 */
import { createInterface } from 'node:readline';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { openApi } from '../../../src/http/api/api.ts';
import { openHealthServer } from '../../../src/http/health-server.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { configOf } from '../../support/config-of.ts';
import { usage } from '../../support/usage.ts';

const db = openPostgres(process.env['DATABASE_URL']!, { poolSize: 10 });
const look = async () => ({ ready: true, phase: 'serving', version: '1', daemon_id: null, checks: {} }) as never;
const server = openHealthServer({ host: '127.0.0.1', port: 0 }, look, { maxConnections: 10_000 });
await server.start();
const settings = { allowedHosts: [], allowedOrigins: [], requestsPerMinute: 1_000_000 };
server.serveApi(openApi({ log: silentLog, clock: systemClock, version: '1', db, config: configOf(), settings }));
process.stdout.write(`http://127.0.0.1:${server.address().port}/api/v1\n`);
createInterface({ input: process.stdin })
  .on('line', () => process.stdout.write(`${JSON.stringify(usage())}\n`))
  // Whoever started it has ended.
  .on('close', () => process.exit(0));
