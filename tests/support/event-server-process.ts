/** A process that serves the event streams of DATABASE_URL: prints its address, and to each line on its input its memory (bytes) and processor time (ms). */
import { createInterface } from 'node:readline';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { startEventServer } from './event-server.ts';
import { usage } from './usage.ts';

const db = openPostgres(process.env['DATABASE_URL']!, { poolSize: 10 });
const server = await startEventServer(db);
process.stdout.write(`${server.url}\n`);
createInterface({ input: process.stdin })
  .on('line', () => process.stdout.write(`${JSON.stringify(usage())}\n`))
  // Whoever started it has ended.
  .on('close', () => process.exit(0));
