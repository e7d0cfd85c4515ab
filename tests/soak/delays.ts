/** How long ordinary work took in the soak, and where the time went. */
import type { Database } from '../../src/store/sql/database.ts';
import { storyOf } from '../support/workload/verdict.ts';
import { POISON } from './hazards.ts';

/** Without what the operators cancelled and tried again: that delay is their own. */
const ORDINARY = `state = 'completed' and faculty in ('worker', 'slow', 'craft')
  and not exists (select from story c where c.item = work_items.id and c.after = 'cancelled')`;

/** To be called once, before the first trouble. */
export async function prepareTroubles(db: Database): Promise<void> {
  await db.query(
    'create table troubles (at timestamptz not null default clock_timestamp(), until timestamptz, name text not null)',
  );
}

/** Records when a trouble began and ended. The server may be away afterwards: then its end is not known. */
export async function recorded(db: Database, name: string, trouble: () => Promise<void>): Promise<void> {
  const [began] = await db.query<{ at: string }>('insert into troubles (name) values ($1) returning at::text', [name]);
  await trouble();
  await db
    .query('update troubles set until = clock_timestamp() where at = $1::timestamptz', [began!.at])
    .catch(() => {});
}

/** What is told at the end: the times of ordinary work submitted before and after a moment, and the three longest of it. */
export async function delaysOf(db: Database, calmUntil: Date): Promise<string> {
  return [...(await timesOf(db, calmUntil)), ...(await phasesOf(db, calmUntil)), ...(await longestOf(db))].join('\n');
}

async function timesOf(db: Database, calmUntil: Date): Promise<string[]> {
  const rows = await db.query<{ line: string }>(
    `select format('ordinary work submitted %s, from its submission to its end: mean %s s, median %s s, p99 %s s, longest %s s (%s items)',
       case when calm then 'before the first trouble' else 'among troubles' end, round(avg(s)::numeric, 2),
       round(percentile_cont(0.5) within group (order by s)::numeric, 2), round(percentile_cont(0.99) within group (order by s)::numeric, 1),
       round(max(s)::numeric, 1), count(*)) as line
     from (select extract(epoch from resolved_at - created_at)::float8 as s, created_at < $1 as calm from animus.work_items where ${ORDINARY}) ended
     group by calm order by calm desc`,
    [calmUntil],
  );
  return rows.map(({ line }) => line);
}

/** The mean of each part of these times: until the first claim, in claims that were lost, queued again after these, in the last claim. */
async function phasesOf(db: Database, calmUntil: Date): Promise<string[]> {
  const rows = await db.query<{ line: string }>(
    `with items as (select id, created_at, resolved_at, created_at < $1 as calm from animus.work_items where ${ORDINARY}),
       steps as (
         select i.id, i.calm, s.after, s.at, lead(s.at, 1, i.resolved_at) over w as until, count(*) filter (where s.after = 'claimed') over w as claim,
                count(*) filter (where s.after = 'claimed') over (partition by i.id) as claims
           from items i join story s on s.item = i.id window w as (partition by i.id order by s.n)),
       parts as (
         select calm, case when after not in ('claimed', 'running') then 'queued or parked again' when claim < claims then 'in claims that were lost or parked'
                      else 'in the last claim' end as part, sum(extract(epoch from until - at)) as s
           from steps where at < until group by 1, 2
         union all
         select i.calm, 'until the first claim', sum(extract(epoch from f.at - i.created_at))
           from items i cross join lateral (select min(s.at) as at from story s where s.item = i.id and s.after = 'claimed') f group by 1)
     select format('  of these, mean %s s %s%s', round(s / (select count(*) from items i where i.calm = p.calm), 2), part,
              case when calm then ' (before the first trouble)' else '' end) as line
       from parts p order by calm desc, s desc`,
    [calmUntil],
  );
  return rows.map(({ line }) => line);
}

/** The stories of the three longest, with the troubles and the poison meanwhile. */
async function longestOf(db: Database): Promise<string[]> {
  const items = await db.query<{ id: string; meanwhile: string }>(
    `select id::text, coalesce((
         select string_agg(format('    %s to %s: %s', m.at::time(1), coalesce(m.until::time(1)::text, '?'), m.name), e'\n' order by m.at)
           from (select at, until, name from troubles
                 union all select p.created_at, p.resolved_at, p.faculty from animus.work_items p where p.faculty = $1) m
          where m.at < work_items.resolved_at and coalesce(m.until, m.at) > work_items.created_at - interval '10 seconds'), '    nothing') as meanwhile
       from animus.work_items where ${ORDINARY} order by resolved_at - created_at desc limit 3`,
    [POISON],
  );
  return Promise.all(
    items.map(
      async ({ id, meanwhile }) => `\none of the longest: ${await storyOf(db, id)}\n  meanwhile:\n${meanwhile}`,
    ),
  );
}
