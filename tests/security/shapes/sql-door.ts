/** What a submitter inserts, and a daemon and a gateway then read. */
import { expect } from 'vitest';
import { JSON_LIMITS } from '../../../src/core/text/json-limits.ts';
import { readStatus } from '../../../src/features/operate/status/status.ts';
import { listWork, readWork } from '../../../src/operations/read-work.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { claimOne, emptyQueue } from '../../store/work/queue-driver.ts';
import { FEW, SHAPES } from './corpus.ts';
import { measure } from './door.ts';

const MIB = 2 ** 20;

export async function throughSql(db: Database): Promise<void> {
  for (const [column, shapes] of [
    ['params', SHAPES],
    ['trigger_info', FEW],
  ] as const) {
    for (const [shape, text] of Object.entries(shapes)) {
      await emptyQueue(db);
      const value = text(MIB - 1000, JSON_LIMITS.submitted);
      const answer = await measure(`sql: ${column}`, shape, value.length, async () => {
        await db.query(`insert into animus.work_items (faculty, ${column}) values ('engineer', $1::text::jsonb)`, [
          value,
        ]);
        const work = await claimOne(db);
        await readWork(db, work.id);
        await listWork(db, { limit: 10 });
        await readStatus(db);
        await completeWork(db, work, {}, null);
      });
      if (shape.includes('allowed')) expect([shape, answer]).toEqual([shape, undefined]);
    }
  }
}
