-- What the digest of awareness is made of: what other foci do, have done and have found. docs/awareness.md shows the plans. Every part reads
-- a bounded number of rows through an index, however much work there is and has been.

-- Returns the items above a child item, from its parent to its root; empty for an item without a parent.
-- Locks: none. Raises: nothing.
create or replace function animus.ancestors(p_id uuid) returns uuid[]
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with recursive above (id, n) as (
    select w.parent_id, 1 from animus.work_items w where w.id = p_id
    union all
    select w.parent_id, a.n + 1 from above a join animus.work_items w on w.id = a.id)
  select coalesce(array_agg(id order by n), '{}') from above where id is not null
$$;

-- Returns what all readers of a context (p_readers, as animus.readers_of returns them) may see of the work of the last p_hours, newest first in each
-- kind: `running` with the newest plan, `completed` with the summary of the outcome, `finding`, `approval` (whatever waits for a person) and
-- `skill`: those that work has created or updated and that are current, and their work item only for those who may see it. Bounds: the 500 newest of the running items, the 100 newest of them with plans; the completed among the 1,000 items and the findings among the
-- 500 findings that are newest; 100 of each of these, 50 requests, 20 skills. Descriptions are cut to 160 characters, other texts to 300. total: how many are running.
-- params: null if they are large. ancestors: of a child item, as animus.ancestors returns them.
-- The first row, `now`, has the time in content.
-- Locks: none. Raises: nothing.
create or replace function animus.awareness_for(p_readers text[], p_hours double precision)
returns table (kind text, work_item_id uuid, faculty text, description text, content text, params jsonb, ancestors uuid[], age_seconds double precision, total int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now  timestamptz := animus.now();
  v_from timestamptz := v_now - make_interval(secs => p_hours * 3600);
  v_bound constant text[] := animus.bound_readers(p_readers);
  v_all   constant boolean := v_bound = '{}';
  -- One of them: their own work. Several: what all of them read.
  v_one   constant text := case when cardinality(v_bound) = 1 then v_bound[1] end;
  v_many  constant boolean := cardinality(v_bound) > 1;
begin
  return query select 'now', null::uuid, '', '', animus.show_time(v_now), null::jsonb, null::uuid[], 0::double precision, null::int;

  return query
    with active as (
      select w.id, count(*) over () as total, row_number() over (order by w.id desc) as nth
        from animus.work_items w
       where w.state in ('claimed', 'running') and w.state = 'running' and (v_all or w.submitted_by = v_one or v_many and animus.all_may_read(v_bound, w.id))
       order by w.id desc limit 500)
    select 'running', w.id, w.faculty, left(w.description, 160), left(p.content, 300), case when w.params <> '{}' and pg_column_size(w.params) <= 2048 then w.params end, a.ids,
           extract(epoch from v_now - f.started_at)::double precision, s.total::int
      from active s join animus.work_items w on w.id = s.id
      join animus.foci f on f.work_item_id = s.id and f.ended_as is null
      left join lateral animus.ancestors_at(w.id, w.parent_id, w.root_id, w.depth) a (ids) on w.depth > 0
      left join lateral (
        select l.content from (
          select e.seq, e.entry_type, e.content from animus.work_ledger e where e.work_item_id = w.id and s.nth <= 100 order by e.seq desc limit 100) l
         where l.entry_type = 'plan' order by l.seq desc limit 1) p on true
     order by f.started_at desc, w.id desc;

  return query
    with newest as (
      select w.id, w.state, w.submitted_by from animus.work_items w
       where w.resolved_at is not null and w.resolved_at > v_from order by w.resolved_at desc limit 1000),
    shown as (
      select n.id from newest n where n.state = 'completed' and (v_all or n.submitted_by = v_one or v_many and animus.all_may_read(v_bound, n.id)) limit 100)
    select 'completed', w.id, w.faculty, left(w.description, 160), left(w.outcome_summary, 300), case when w.params <> '{}' and pg_column_size(w.params) <= 2048 then w.params end, a.ids,
           extract(epoch from v_now - w.resolved_at)::double precision, null::int
      from shown s join animus.work_items w on w.id = s.id
      left join lateral animus.ancestors_at(w.id, w.parent_id, w.root_id, w.depth) a (ids) on w.depth > 0
     order by w.resolved_at desc, w.id desc;

  return query
    with newest as (
      select l.work_item_id, l.seq, l.created_at from animus.work_ledger l
       where l.entry_type = 'finding' and l.created_at > v_from order by l.created_at desc limit 500),
    -- Findings of others may be so many that those of the readers are not among the newest.
    own as (
      select l.work_item_id, l.seq, l.created_at
        from (select w.id from animus.work_items w
               where w.state in ('claimed', 'running') and w.state = 'running' and w.submitted_by = any (v_bound) order by w.id desc limit 50) w
        cross join lateral (
          select e.work_item_id, e.seq, e.entry_type, e.created_at from animus.work_ledger e where e.work_item_id = w.id order by e.seq desc limit 20) l
       where not v_all and l.entry_type = 'finding' and l.created_at > v_from),
    shown as (
      select n.work_item_id, n.seq, n.created_at, w.faculty, w.parent_id, w.root_id, w.depth
        from (select * from newest union select * from own) n join animus.work_items w on w.id = n.work_item_id
       where v_all or w.submitted_by = v_one or v_many and animus.all_may_read(v_bound, w.id) order by n.created_at desc, n.work_item_id, n.seq desc limit 100)
    select 'finding', s.work_item_id, s.faculty, left(w.description, 160), left(l.content, 300), case when w.params <> '{}' and pg_column_size(w.params) <= 2048 then w.params end, a.ids,
           extract(epoch from v_now - s.created_at)::double precision, null::int
      from shown s join animus.work_items w on w.id = s.work_item_id join animus.work_ledger l on l.work_item_id = s.work_item_id and l.seq = s.seq
      left join lateral animus.ancestors_at(w.id, w.parent_id, w.root_id, w.depth) a (ids) on w.depth > 0
     order by s.created_at desc, s.work_item_id, s.seq desc;

  return query
    select 'approval', x.work_item_id, x.faculty, left(x.description, 160),
           concat_ws(': ', x.subject, left(coalesce(x.request ->> 'tool', x.request ->> 'question', x.request ->> 'reason'), 160)), null::jsonb,
           case when w.depth > 0 then animus.ancestors_at(w.id, w.parent_id, w.root_id, w.depth) end, extract(epoch from v_now - x.asked_at)::double precision, null::int
      from (select * from animus.asked limit 500) x join animus.work_items w on w.id = x.work_item_id
     where v_all or x.submitted_by = v_one or v_many and animus.all_may_read(v_bound, x.work_item_id) order by x.asked_at, x.work_item_id, x.ask_id limit 50;

  return query
    select 'skill', case when v_all or v.submitted_by = v_one or v_many and animus.all_may_read(v_bound, v.work_item_id) then v.work_item_id end, '', v.name, v.version::text, null::jsonb, null::uuid[],
           extract(epoch from v_now - v.current_from)::double precision, null::int
      from (select * from animus.skill_versions s where s.current_from > v_from order by s.current_from desc limit 200) v
     where v.state = 'current'
     order by v.current_from desc, v.name limit 20;
end $$;

drop function if exists animus.awareness(text, double precision);

-- Returns the same as animus.ancestors, for an item whose row the caller has: for the first two levels, no other row is read.
-- Locks: none. Raises: nothing.
create or replace function animus.ancestors_at(p_id uuid, p_parent_id uuid, p_root_id uuid, p_depth int) returns uuid[]
language sql stable as $$
  select case p_depth when 0 then '{}' when 1 then array[p_parent_id] when 2 then array[p_parent_id, p_root_id] else animus.ancestors(p_id) end
$$;
