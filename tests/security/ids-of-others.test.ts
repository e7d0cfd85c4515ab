/**
 * The promise: a submitter learns no id of work that it may not see, at no door of SQL: functions, views, errors. And an id that it knows from elsewhere
 * gives it nothing.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { readEvents } from '../../src/store/events/read-events.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { readChildren } from '../../src/store/transcript/children.ts';
import { parkWork } from '../../src/store/transcript/waits.ts';
import { registerDaemon } from '../../src/store/work/daemons.ts';
import { completeWork } from '../../src/store/work/work.ts';
import { await_, runningParent, spawn } from '../store/children/family.ts';
import { beginFocus, claimable } from '../support/begun-focus.ts';
import { beginTurn } from '../support/begun-turn.ts';
import { testDatabase } from '../support/database.ts';
import { newKey, openLogins, submit } from './submitters.ts';

const target = testDatabase();
const owner = () => target.database;
const login = openLogins(owner);
let a: Database;
let b: Database;
beforeAll(async () => {
  [a, b] = [await login(), await login()];
});

/** Everything that a login can read, and what its own items look like, as one text. */
async function everything(db: Database): Promise<string> {
  const relations = await db.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('animus', 'pgmq') and c.relkind in ('r', 'v', 'm', 'p') and has_schema_privilege(n.oid, 'usage')
        and has_any_column_privilege(c.oid, 'select')`,
  );
  const own = await db.query<{ id: string }>('select id from animus.own_work');
  const seen: unknown[] = [];
  for (const { name } of relations) seen.push(await db.query(`select to_json(r)::text from ${name} r`));
  seen.push(await db.query('select * from animus.read_states()'));
  for (const { id } of own) {
    seen.push(await db.query('select * from animus.item_worktree($1)', [id]));
    seen.push((await readEvents(db, { kind: 'work', id }, null)).events);
  }
  expect(relations.length).toBeGreaterThan(5);
  return JSON.stringify(seen);
}

describe('an item that merged into that of another submitter', () => {
  test('is merged at every door of SQL, without its target', async () => {
    const key = newKey();
    const { id: target } = await submit(a, key);
    for (const door of ['submit_work', 'submit_batch_work']) {
      expect(await submit(b, key, door)).toMatchObject({ state: 'merged', merged_into: null });
    }
    expect(
      await b.query(`insert into animus.own_work (faculty, dedup_key) values ($1, $1) returning state, merged_into`, [
        key,
      ]),
    ).toEqual([{ state: 'merged', merged_into: null }]);
    const text = await everything(b);
    expect(text).toContain('"merged"');
    expect(text).not.toContain(target);
  });

  test('is named neither to whoever submitted the target nor in what its model is told', async () => {
    const key = newKey();
    // Duplicates of this faculty are told to the item that does the work.
    await registerDaemon(owner(), {
      id: randomUUID(),
      host: 'h',
      pid: 1,
      version: 'test',
      maxConcurrent: 1,
      faculties: { [key]: { ...claimable(key, true)[key]!, on_duplicate: 'tell' } },
      problems: [],
    });
    const { id: target } = await submit(a, key);
    const { id: duplicate } = await submit(b, key);
    const work = await beginFocus(owner(), { id: target });
    expect(await beginTurn(owner(), work.key, 1, 0)).toBe('mail');
    const text = await everything(a);
    expect(text).toContain('duplicate');
    expect(text).not.toContain(duplicate);
    const told = await owner().query<{ content: string }>(
      'select content from animus.focus_messages where focus_id = $1',
      [work.key.focusId],
    );
    expect(JSON.stringify(told)).toContain('The same work was submitted again');
    expect(JSON.stringify(told)).not.toContain(duplicate);
  });

  test('has its target for itself where its submitter may see it', async () => {
    const key = newKey();
    const { id: target } = await submit(a, key);
    const again = await submit(a, key);
    expect(again).toMatchObject({ state: 'merged', merged_into: target });
    expect(await a.query('select merged_into from animus.own_work where id = $1', [again.id])).toEqual([
      { merged_into: target },
    ]);
    expect(await readEvents(a, { kind: 'work', id: again.id }, null)).toMatchObject({
      events: expect.arrayContaining([expect.objectContaining({ type: 'done', mergedInto: target })]) as unknown,
    });
    const [reader] = await owner().query<{ shown: string }>('select animus.shown_work($1) as shown', [target]);
    expect(reader!.shown).toBe(target);
  });

  test('as child work: neither the model, nor the wait, nor an error names the target', async () => {
    const key = newKey();
    const { id: target } = await submit(a, key);
    const [own] = await b.query<{ id: string }>(`select id from animus.submit_work($1)`, [newKey()]);
    const parent = await runningParent(owner(), ['await'], own!.id);
    const child = await spawn(owner(), parent, { faculty: key, dedupKey: key });
    expect(child).toMatchObject({ state: 'merged', mergedInto: null });
    expect(await await_(owner(), parent)).toBe(true);
    await parkWork(owner(), parent);
    expect(JSON.stringify(await readChildren(owner(), own!.id, null))).toContain('"visible":false');

    // Its end wakes the parent as before. A cancel that cannot lock the parent does not name it to the submitter of the target.
    await owner().transaction(async (tx) => {
      await tx.query('select from animus.work_items where id = $1 for update', [own!.id]);
      const refused = await a.query('select animus.cancel_work($1)', [target]).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'work.locked' });
      expect(textOf(refused)).not.toContain(own!.id);
    });
    await completeWork(owner(), await beginFocus(owner(), { id: target }), {}, null);
    expect(await owner().query('select state from animus.work_items where id = $1', [own!.id])).toEqual([
      { state: 'queued' },
    ]);
  });
});

/** With what is not enumerable, such as the detail of a database error. */
const textOf = (error: unknown): string => {
  const parts: unknown[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    parts.push(Object.fromEntries(Object.getOwnPropertyNames(at).map((name) => [name, String(at[name as never])])));
  }
  return JSON.stringify(parts);
};

/** One value of each type of an argument. */
const SAMPLES: Readonly<Record<string, string>> = {
  text: `'x'`,
  jsonb: `'{}'`,
  json: `'{}'`,
  boolean: 'false',
  integer: '1',
  bigint: '1',
  numeric: '1',
  'double precision': '1',
  bytea: `'x'`,
  interval: `'1 minute'`,
  'timestamp with time zone': 'now()',
  'real[]': `'{1}'`,
  'text[]': `'{x}'`,
  'integer[]': `'{1}'`,
  'bigint[]': `'{1}'`,
};

test('an id that a submitter knows from elsewhere says and does the same as one that does not exist', async () => {
  const { id } = await submit(a, newKey());
  await runningParent(owner(), ['ask'], id);
  const functions = await b.query<{ name: string; types: string[] }>(
    `select p.proname as name, array(select format_type(t, null) from unnest(p.proargtypes) with ordinality u (t, n) order by n) as types
       from pg_proc p where p.pronamespace = 'animus'::regnamespace and p.prokind = 'f' and has_function_privilege(p.oid, 'execute')
        and p.proargtypes::oid[] && array['uuid'::regtype, 'uuid[]'::regtype]::oid[] order by 1`,
  );
  expect(functions.length).toBeGreaterThan(15);
  for (const { name, types } of functions) {
    const answer = async (one: string) => {
      const values = types.map((type) => {
        const value = type === 'uuid' ? `'${one}'` : type === 'uuid[]' ? `array['${one}'::uuid]` : SAMPLES[type];
        if (value === undefined) throw new Error(`${name} has an argument of type ${type}: add a sample`);
        return `${value}::${type}`;
      });
      const said = await b
        .query(`select to_json(r) as said from animus.${name}(${values.join(', ')}) r`)
        .then((rows) => JSON.stringify(rows), textOf);
      // Without stacks, ids, times and what is new at each call.
      return said
        .replaceAll(one, 'ID')
        .replace(/"stack":"(?:[^"\\]|\\.)*",?/g, '')
        .replace(/[0-9a-f-]{36}|\d+/g, 'N');
    };
    expect([name, await answer(id)]).toEqual([name, await answer(randomUUID())]);
  }
});

test('shared memories name the work that they come from only to those who may see it', async () => {
  const { id } = await submit(a, newKey());
  const word = newKey();
  await owner().query(`select animus.store_memory($1, p_item => $2, p_everybody => true)`, [`The word is ${word}`, id]);
  const find = (db: Database) =>
    db.query<{ source_item: string | null }>('select * from animus.search_memories($1)', [word]);
  expect(await find(a)).toMatchObject([{ source_item: id }]);
  expect(await find(b)).toMatchObject([{ source_item: null, source_faculty: expect.any(String) as unknown }]);
  expect(JSON.stringify(await find(b))).not.toContain(id);
});
