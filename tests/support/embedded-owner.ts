/** A process that owns an embedded database until it is killed: `node embedded-owner.ts HOME`. Writes rows and prints each number once it is acknowledged. */
import { openEmbedded } from '../../src/store/embedded/embedded.ts';

const home = process.argv[2] ?? '';
const database = await openEmbedded({ home, waitMs: 20_000 });
await database.query('create table if not exists acknowledged (n bigint primary key)');
const [last] = await database.query<{ n: string }>('select coalesce(max(n), 0) as n from acknowledged');
process.stdout.write('ready\n');
let next = Number(last?.n) + 1;
const writer = async (): Promise<never> => {
  for (;;) {
    const n = next++;
    await database.query('insert into acknowledged values ($1)', [n]);
    process.stdout.write(`${n}\n`);
  }
};
await Promise.all(Array.from({ length: 8 }, writer));
