/** `npm run schema`: writes migrations/schema.sql from what the migrations make on a server of its own. */
import { writeFileSync } from 'node:fs';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { startPostgresServer } from '../../support/postgres-server.ts';
import { SCHEMA_FILE, schemaText } from './schema-text.ts';

const server = await startPostgresServer();
try {
  const db = openPostgres(server.url, { poolSize: 1 });
  await migrate(db);
  writeFileSync(SCHEMA_FILE, await schemaText(db));
  await db.close();
} finally {
  await server.stop();
}
