import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OBJECTS_FILE } from '../../../src/store/sql/expected-objects.ts';
import { testDatabase } from '../../support/database.ts';
import { objectsText, SCHEMA_FILE, schemaText } from './schema-text.ts';

const target = testDatabase();

test('migrations/schema.sql matches the migrations; after a change: npm run schema', async () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(await schemaText(target.database));
});

test('migrations/objects.jsonl matches the migrations; after a change: npm run schema', async () => {
  expect(readFileSync(OBJECTS_FILE, 'utf8')).toBe(await objectsText(target.database));
});
