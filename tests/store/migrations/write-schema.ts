/**
 * `npm run schema`: writes the words of src/core/work into SQL and docs; then, from a migrated database on a separate server, migrations/schema.sql,
 * migrations/objects.jsonl and the maps of functions in the docs.
 */
import { writeFileSync } from 'node:fs';
import { filesWithWords } from '../../../scripts/written-words.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { OBJECTS_FILE } from '../../../src/store/sql/expected-objects.ts';
import { startPostgresServer } from '../../support/postgres-server.ts';
import { pagesWithMaps } from './function-map.ts';
import { objectsText, SCHEMA_FILE, schemaText } from './schema-text.ts';

for (const [path, text] of filesWithWords()) writeFileSync(path, text);
const server = await startPostgresServer();
try {
  const db = openPostgres(server.url, { poolSize: 1 });
  await migrate(db);
  writeFileSync(SCHEMA_FILE, await schemaText(db));
  writeFileSync(OBJECTS_FILE, await objectsText(db));
  for (const [path, text] of await pagesWithMaps(db)) writeFileSync(path, text);
  await db.close();
} finally {
  await server.stop();
}
