/** Memories that somebody stored by hand before there were layers are kept by the upgrade. */
import { expect, test } from 'vitest';
import { searchMemories } from '../../../src/store/memory/search-memories.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { testDatabase } from '../../support/database.ts';
import { migrateFirstSchema } from '../../support/first-schema.ts';

const target = testDatabase({ empty: true });

test('they are global and everybody’s, equal texts are one, and the source is kept', async () => {
  const db = target.database;
  await migrateFirstSchema(db, 9);
  await db.query(
    `insert into animus.memories (id, type, content, metadata, source_item, created_at)
     select gen_random_uuid(), 'fact', content, '{"by": "hand"}', item, now()
       from (values ('The old office is closed', gen_random_uuid()), ('The  old office is closed', null), ('Another one', null)) v (content, item)`,
  );
  await migrate(db);
  const { memories } = await searchMemories(db, { viewer: null, text: 'office', embedding: null, limit: 10 });
  expect(memories).toMatchObject([{ layer: 'global', kind: 'fact', submitted_by: null, metadata: { by: 'hand' } }]);
  const [counted] = await db.query(
    `select (select memories from animus.memory_counts) as counted, (select count(*)::int from animus.memory_sources where work_item_id is not null) as sources,
            (select count(*)::int from animus.memories where merged_into is not null) as merged`,
  );
  expect(counted).toEqual({ counted: 2, sources: 1, merged: 1 });
});
