/** Grants in SQL: what they fit, when they end, and what is refused. */

import { beforeEach, describe, expect, test } from 'vitest';
import { revokeGrant } from '../../../src/features/approvals/store.ts';
import { askPerson, grantsFor } from '../../../src/store/transcript/approvals.ts';
import { startCall } from '../../../src/store/transcript/calls.ts';
import { grantCall } from '../../../src/store/work/decide.ts';
import { askOf } from '../../support/ask-of.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { ASKS, askedItem, decisionsAbout } from './asked-item.ts';
import { emptyQueue } from './queue-driver.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

const asked = (calls?: readonly string[], id?: string) => askedItem(target.database, calls, id);
const decisions = (id: string) => decisionsAbout(target.database, id);

describe('a grant', () => {
  test('of one call fits the same tool with the same input, for the item or for the faculty, until it ends', async () => {
    const db = target.database;
    const work = await asked(['c1', 'c2']);
    const grants = (of: FocusedWork, call: string) => grantsFor(db, of.key.focusId, 1, call, null);
    expect(await grants(work, 'c2')).toEqual([]);
    const id = await grantCall(db, work.id, {
      ask: await askOf(db, work.id, 'c1'),
      scope: 'item',
      seconds: 3600,
      note: 'safe',
    });
    expect(await grants(work, 'c2')).toEqual([{ id, pattern: null }]);
    // Of another input, there is none; and none for other work of the faculty.
    expect(await grantsFor(db, work.key.focusId, 1, 'c2', { value: { n: 2 } })).toEqual([]);
    await db.query(`insert into animus.work_items (faculty) values ($1)`, [work.faculty]);
    const [other] = await db.query<{ id: string }>(
      `select id from animus.work_items where faculty = $1 and state = 'queued'`,
      [work.faculty],
    );
    const sibling = await asked(['c1'], other!.id);
    expect(await grants(sibling, 'c1')).toEqual([]);
    const wide = await grantCall(db, work.id, {
      ask: await askOf(db, work.id, 'c1'),
      scope: 'faculty',
      seconds: 3600,
      pattern: 'git *',
    });
    expect(await grants(sibling, 'c1')).toEqual([{ id: wide, pattern: 'git *' }]);
    expect(await revokeGrant(db, wide)).toBe(true);
    expect(await revokeGrant(db, wide)).toBe(false);
    expect(await grants(sibling, 'c1')).toEqual([]);
    await db.query(`update animus.grants set expires_at = now() - interval '1 s' where id = $1`, [id]);
    expect(await grants(work, 'c2')).toEqual([]);
    expect((await decisions(work.id)).map(({ action }) => action)).toEqual(['grant', 'grant']);
  });

  test('starts only the call that it fits', async () => {
    const db = target.database;
    const work = await beginFocus(db);
    await recordCalls(db, work, 1, ['c1', 'c2'], 'bash');
    await askPerson(db, work.key, 1, 'c1', 'approval', ASKS);
    const id = await grantCall(db, work.id, { ask: await askOf(db, work.id, 'c1'), scope: 'item', seconds: 60 });
    await expect(startCall(db, work.key, 1, 'c2', { value: { n: 2 } }, id)).rejects.toThrow(
      /grant \d+ is not for call/,
    );
    await startCall(db, work.key, 1, 'c2', null, id);
    const [call] = await db.query(`select state, grant_id::text as grant from animus.tool_calls where call_id = 'c2'`);
    expect(call).toEqual({ state: 'started', grant: id });
    // What waits, waits for a person: a grant that was made meanwhile does not start it.
    await expect(startCall(db, work.key, 1, 'c1', null, id)).rejects.toThrow('nobody has approved it');
  });

  test.each([
    ['no end', { scope: 'item', seconds: 0 }],
    ['more than a year', { scope: 'item', seconds: 400 * 86_400 }],
    ['an empty pattern', { scope: 'faculty', seconds: 60, pattern: ' ' }],
  ] as const)('with %s is refused', async (_what, grant) => {
    const { id } = await asked();
    await expect(grantCall(target.database, id, grant)).rejects.toMatchObject({ code: 'work.invalid' });
  });
});
