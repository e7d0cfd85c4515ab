/** Promise: what foci have in common is stored once, kept as long as it is needed, and every focus keeps what it began with. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { startFocus } from '../../../src/store/transcript/focus-row.ts';
import { encodeSettings, type FocusSettings } from '../../../src/store/transcript/focus-settings.ts';
import { claimWork, completeWork, releaseWork } from '../../../src/store/work/work.ts';
import { claimable } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { untilBlocked } from '../work/queue-driver.ts';

const target = testDatabase();
const SETTINGS: FocusSettings = {
  facultySnapshot: { name: 'x', workspace: null, note: 'Zoë 漢字 \\ "' },
  systemPrompt: 'You test.\nNothing else.',
  tools: [{ name: 'ask', description: 'Asks', inputSchema: { type: 'object', properties: { b: {}, a: {} } } }],
};
const PLACE = { host: 'test', directoryRoot: '/nowhere' };

async function claimed(db: Queryable, faculty = `f${randomUUID()}`) {
  const [item] = await db.query<{ id: string }>(`insert into animus.work_items (faculty) values ($1) returning id`, [
    faculty,
  ]);
  const [work] = await claimWork(db, randomUUID(), claimable(faculty), 1, 60);
  return { ...work!, id: item!.id };
}

async function stored(db: Queryable): Promise<number> {
  const [row] = await db.query<{ n: number }>('select count(*)::int as n from animus.focus_settings');
  return row!.n;
}

describe('the settings of foci', () => {
  test('are stored once for all foci that share them, and come back as they were, to the byte', async () => {
    const { database } = target;
    const before = await stored(database);
    const works = await Promise.all(Array.from({ length: 8 }, () => claimed(database)));
    const begun = await Promise.all(works.map((work) => startFocus(database, work, { ...SETTINGS, ...PLACE })));
    expect(await stored(database)).toBe(before + 1);
    const again = await startFocus(database, works[0]!, {
      facultySnapshot: { name: 'edited since' },
      systemPrompt: 'Other',
      tools: [],
      ...PLACE,
    });
    expect(again).toEqual({ ...begun[0], resumes: 1, hasLedger: true });
    expect(JSON.stringify(again.tools)).toBe(JSON.stringify(SETTINGS.tools));
    expect(again.systemPrompt).toBe(SETTINGS.systemPrompt);
  });

  test('of a focus of a new daemon reach a daemon of version 0.1 that resumes it, and the other way round', async () => {
    const { database } = target;
    const work = await claimed(database);
    await startFocus(database, work, { ...SETTINGS, ...PLACE });
    const [old] = await database.query(
      `select faculty_snapshot, system_prompt, tools, resumes from animus.start_focus($1, $2, 'test', '/nowhere', '{}'::jsonb, 'unused', '[]'::json)`,
      [work.id, work.leaseToken],
    );
    expect(old).toEqual({
      faculty_snapshot: SETTINGS.facultySnapshot,
      system_prompt: SETTINGS.systemPrompt,
      tools: SETTINGS.tools,
      resumes: 1,
    });
    const other = await claimed(database);
    await database.query(
      `select animus.start_focus($1, $2, 'test', '/nowhere', '{"name": "old"}'::jsonb, 'old prompt', '[]'::json)`,
      [other.id, other.leaseToken],
    );
    const resumed = await startFocus(database, other, { ...SETTINGS, ...PLACE });
    expect(resumed).toMatchObject({
      facultySnapshot: { name: 'old' },
      systemPrompt: 'old prompt',
      tools: [],
      resumes: 1,
    });
  });

  test('are stored again where retention has deleted them, which spares those of open foci', async () => {
    const { database } = target;
    const settings = { ...SETTINGS, systemPrompt: randomUUID() };
    const open = await claimed(database);
    await startFocus(database, open, { ...settings, ...PLACE });
    const age = () =>
      database.query(`update animus.focus_settings set used_on = used_on - 200 where system_prompt = $1`, [
        settings.systemPrompt,
      ]);
    const left = async () =>
      (await database.query('select from animus.focus_settings where system_prompt = $1', [settings.systemPrompt]))
        .length;
    const prune = () => database.query(`select animus.prune_archives(interval '90 days')`);
    await age();
    await prune();
    expect(await left()).toBe(1);
    await releaseWork(database, open, { delaySeconds: 0, reason: 'for the test', cause: 'test' });
    await database.query(`update animus.foci set ended_as = 'lost', ended_at = now() where work_item_id = $1`, [
      open.id,
    ]);
    await prune();
    expect(await left()).toBe(0);
    const next = await claimed(database);
    await startFocus(database, next, { ...settings, ...PLACE });
    expect(await left()).toBe(1);
  });

  test('are stored again where retention deletes them while a focus begins with them', async () => {
    const { database } = target;
    const settings = { ...SETTINGS, systemPrompt: randomUUID() };
    const used = await claimed(database);
    await startFocus(database, used, { ...settings, ...PLACE });
    await completeWork(database, used, {}, null);
    await database.query(`update animus.focus_settings set used_on = used_on - 200 where system_prompt = $1`, [
      settings.systemPrompt,
    ]);
    const next = await claimed(database);
    let begins: Promise<unknown> | undefined;
    await database.transaction(async (tx) => {
      await tx.query(`delete from animus.focus_settings where system_prompt = $1`, [settings.systemPrompt]);
      begins = startFocus(database, next, { ...settings, ...PLACE });
      await untilBlocked(database);
    });
    await begins;
    const left = 'select from animus.focus_settings where system_prompt = $1';
    expect(await database.query(left, [settings.systemPrompt])).toHaveLength(1);
  });

  test('are marked as used on the day they are used', async () => {
    const { database } = target;
    const settings = { ...SETTINGS, systemPrompt: randomUUID() };
    await startFocus(database, await claimed(database), { ...settings, ...PLACE });
    await database.query(`update animus.focus_settings set used_on = used_on - 3 where system_prompt = $1`, [
      settings.systemPrompt,
    ]);
    await startFocus(database, await claimed(database), { ...settings, ...PLACE });
    const [row] = await database.query<{ today: boolean }>(
      `select used_on = (now() at time zone 'UTC')::date as today from animus.focus_settings where system_prompt = $1`,
      [settings.systemPrompt],
    );
    expect(row!.today).toBe(true);
  });
});

test('settings are encoded once for the same snapshot, prompt and tools, and again where one of them differs', () => {
  const tools = [{ name: 'ask', description: 'Asks', inputSchema: {} }];
  const settings = { ...SETTINGS, tools };
  const encoded = encodeSettings(settings);
  expect(encodeSettings({ ...settings, tools: [...tools] })).toBe(encoded);
  const ids = [
    encoded,
    encodeSettings({ ...settings, systemPrompt: 'Other' }),
    encodeSettings({ ...settings, tools: [{ ...tools[0]!, description: 'Other' }] }),
    encodeSettings({ ...settings, facultySnapshot: { name: 'y' } }),
  ].map(({ id }) => id.toString('hex'));
  expect(new Set(ids).size).toBe(4);
});
