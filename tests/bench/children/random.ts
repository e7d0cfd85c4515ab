/**
 * Many random runs of families in which everything happens at once (tests/store/children/random-family.ts):
 * `npm run bench -- tests/bench/children/random.ts [--runs 10000] [--seed 0]`. Fails at the first wait that ends twice, item that waits for what has
 * ended, error 40P01, or deadlock that the server has counted.
 */
import { parseArgs } from 'node:util';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { deadlocksIn, generator, runFamilies, watchRaces } from '../../store/children/random-family.ts';
import { benchServer } from '../support/bench-database.ts';

/** Pairs of families at the same time. */
const AT_ONCE = 4;

const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } });
const runs = Number(values.runs ?? 10_000);
const first = Number(values.seed ?? 0);
const server = await benchServer();
const admin = openPostgres(server.url, { poolSize: 1 });
await watchRaces(admin);
const db = openPostgres(server.url, { poolSize: 8 * AT_ONCE });
let next = 0;
const started = performance.now();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (next < runs) {
      const seed = first + next++;
      await runFamilies(db, generator(seed)).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
      if (next % 500 === 0) process.stdout.write(`${next} runs\n`);
    }
  }),
);
await db.close();
const deadlocks = await deadlocksIn(admin);
await admin.close();
await server.stop();
process.stdout.write(`${runs} runs in ${Math.round((performance.now() - started) / 1000)} s, ${deadlocks} deadlocks\n`);
process.exitCode = deadlocks === 0 ? 0 : 1;
