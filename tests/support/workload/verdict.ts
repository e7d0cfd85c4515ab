/** Decides from recorded effects whether work was lost or done twice. */
import { existsSync, readFileSync } from 'node:fs';
import { TRANSITIONS, type WorkState } from '../../../src/core/work/work.ts';
import type { Database } from '../../../src/store/sql/database.ts';

/** Each query finds items with a violation. */
const WRONG: Readonly<Record<string, string>> = {
  'is not over': `select id from animus.work_items where resolved_at is null`,
  'is dead': `select id from animus.work_items where state = 'dead' and error ->> 'code' is distinct from 'work.poison'`,
  'is innocent, and condemned': `select id from animus.work_items where faculty <> 'poison' and error ->> 'code' = 'work.poison'`,
  'is cancelled, and nobody asked for it': `select w.id from animus.work_items w where w.state = 'cancelled' and not exists (
     select from animus.decisions d where d.work_item_id = w.id and d.action = 'cancel')`,
  'ended twice': `select item as id from story where after in ('completed', 'dead', 'cancelled') group by item
     having count(*) > 1 + (select count(*) from animus.decisions d where d.work_item_id = item and d.action = 'retry')`,
  'had a token that was given out before': `select item as id from (
     select item, token, lag(token) over (partition by item order by n) as earlier from story) s where token < earlier`,
  'has an open focus': `select work_item_id as id from animus.foci where ended_as is null`,
  'has more foci than attempts that failed': `select w.id from animus.work_items w
     where (select count(*) from animus.foci f where f.work_item_id = w.id) >
           1 + (select count(*) from animus.foci f where f.work_item_id = w.id and f.ended_as in ('failed', 'cancelled', 'lost'))`,
  'has a message left': `select (message ->> 'work_item_id')::uuid as id from pgmq.q_animus_work`,
  'is not in the archive once per life': `with archived as (select message ->> 'work_item_id' as id, count(*) as n from pgmq.a_animus_work group by 1),
       retried as (select work_item_id as id, count(*) as n from animus.decisions where action = 'retry' group by 1)
     select w.id from animus.work_items w left join archived a on a.id = w.id::text left join retried r on r.id = w.id
      where w.state <> 'merged' and coalesce(a.n, 0) <> 1 + coalesce(r.n, 0)`,
  'told its ledger twice': `select f.work_item_id as id from animus.work_ledger l join animus.foci f on f.id = l.focus_id
     where l.content = 'acted' group by f.work_item_id, f.id having count(*) > 1`,
  // A claim that never started a focus (claimed, then claimed again) is counted separately.
  'counted an attempt that was none, or missed one': `select item as id from story
     where case when before = 'running' and after = 'claimed'
                then attempts_after <> attempts_before - crashes_before + case when progressed then 1 else crashes_before + 1 end
                when before in ('dead', 'cancelled') then attempts_after <> 0
                when before in ('claimed', 'running') and after in ('queued', 'scheduled') then attempts_after not in (attempts_before, attempts_before + 1)
                else attempts_after <> attempts_before end`,
  'fired twice for one time': `select (array_agg(id))[1] as id from animus.work_items where source = 'schedule'
     group by trigger_info ->> 'schedule', trigger_info ->> 'due_at' having count(*) > 1`,
  'came from one message of the inbox with another': `select (array_agg(id))[1] as id from animus.work_items where source = 'inbox'
     group by trigger_info ->> 'inbox_msg_id' having count(*) > 1`,
};

/** All violations, one sentence each; empty if nothing was lost and nothing done twice. `marks`: the file of effects. */
export async function wrongs(db: Database, marks: string): Promise<string[]> {
  const found: string[] = [];
  for (const [what, query] of Object.entries(WRONG)) {
    for (const { id } of await db.query<{ id: string }>(query)) found.push(`${id} ${what}`);
  }
  const steps = await db.query<{ before: WorkState; after: WorkState; item: string }>(
    'select before, after, item from story where before <> after',
  );
  for (const { before, after, item } of steps) {
    if (!TRANSITIONS[before].includes(after)) found.push(`${item} went from ${before} to ${after}`);
  }
  return [...found, ...(await wrongEffects(db, marks))];
}

/** A call that is done acted once in the file and once in the table; a call that is in doubt or failed, at most once. */
async function wrongEffects(db: Database, marks: string): Promise<string[]> {
  const inFile = timesOf(existsSync(marks) ? readFileSync(marks, 'utf8').trim().split('\n') : []);
  const inTable = timesOf((await db.query<{ item: string }>('select item from effects')).map((row) => row.item));
  const calls = await db.query<{ id: string; done: number; calls: number }>(
    `select f.work_item_id as id, count(*) filter (where t.state = 'done')::int as done, count(*)::int as calls
       from animus.tool_calls t join animus.foci f on f.id = t.focus_id where t.call_id = 'act' group by f.work_item_id`,
  );
  const allowed = new Map(calls.map((row) => [row.id, row]));
  const items = new Set([...inFile.keys(), ...inTable.keys(), ...allowed.keys()]);
  return [...items].flatMap((id) =>
    [inFile, inTable].flatMap((seen, n) => {
      const times = seen.get(id) ?? 0;
      const { done, calls: most } = allowed.get(id) ?? { done: 0, calls: 0 };
      const where = n === 0 ? 'file' : 'table';
      return times < done || times > most
        ? [`${id} acted ${times} times in the ${where}, ${done} of ${most} calls done`]
        : [];
    }),
  );
}

function timesOf(lines: readonly string[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1);
  return times;
}
/** Everything that is known about an item, to explain a violation. */
export async function storyOf(db: Database, id: string): Promise<string> {
  const rows = await db.query<{ line: string }>(
    `select at::time(3) || ' ' || before || ' -> ' || after || ' token ' || coalesce(token::text, '-') || ' attempts ' || attempts_after as line
       from story where item::text = $1 order by n`,
    [id],
  );
  const [item] = await db.query<{ line: string }>(
    `select faculty || ' "' || description || '" is ' || state || ', error ' || coalesce(error::text, 'none') as line from animus.work_items where id::text = $1`,
    [id],
  );
  return [id, item?.line ?? 'is unknown', ...rows.map((row) => `  ${row.line}`)].join('\n');
}
