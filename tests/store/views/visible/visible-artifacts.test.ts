import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readArtifactPart, readVisibleArtifact } from '../../../../src/store/views/visible/visible-artifacts.ts';
import { submitWork } from '../../../../src/store/work/submit-work.ts';
import { testDatabase } from '../../../support/database.ts';

const target = testDatabase();

test('a part is read of the file that was listed; one that is gone or was made anew has none', async () => {
  const { database: db } = target;
  const attachments = [{ name: 'a.txt', content: Buffer.from('01234') }];
  const { id: item } = await submitWork(db, { faculty: 'engineer', attachments });
  const [row] = await db.query<{ id: string }>('select id from animus.visible_artifacts where work_item_id = $1', [
    item,
  ]);
  const file = await readVisibleArtifact(db, row!.id);

  expect(Buffer.from((await readArtifactPart(db, file, 1, 2))!).toString()).toBe('12');
  expect(Buffer.from((await readArtifactPart(db, file, 3, 9))!).toString()).toBe('34');
  expect(await readArtifactPart(db, { ...file, created_at: new Date(0) }, 0, 1)).toBeNull();
  expect(await readArtifactPart(db, { ...file, id: randomUUID() }, 0, 1)).toBeNull();
});
