/** PGlite with our extensions in ANIMUS_HOME, until SIGTERM: a new directory gets the cluster that PGlite publishes. */

import { existsSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { pgmq } from '@electric-sql/pglite-pgmq';
import { vector } from '@electric-sql/pglite-pgvector';
import { dataDir } from '@electric-sql/pglite-prepopulatedfs';

const home = process.env['ANIMUS_HOME']!;
const db = await PGlite.create(home, {
  extensions: { vector, pgmq },
  ...(!existsSync(home) && { loadDataDir: await dataDir() }),
});
await db.query('select 1');
process.stderr.write('ready for work\n');
setInterval(() => undefined, 60_000);
process.once('SIGTERM', () => void db.close().then(() => process.exit()));
