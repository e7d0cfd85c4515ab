import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { SCHEMA_FILE, schemaText } from './schema-text.ts';

const target = testDatabase();

test('migrations/schema.sql matches the migrations; after a change: npm run schema', async () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(await schemaText(target.database));
});
