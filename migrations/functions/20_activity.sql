-- How much happens, by intervals: what was submitted and has ended, how long it took, and what was spent. Sums of what daemons have read (19_closed_periods.sql), and the rows
-- themselves of what is younger.

-- Returns the beginning of the interval that contains a time, in UTC.
-- Locks: none. Raises: nothing.
create or replace function animus.interval_of(p_unit text, p_at timestamptz) returns timestamptz
language sql immutable parallel safe as $$ select date_trunc(p_unit, p_at at time zone 'UTC') at time zone 'UTC' $$;

-- Returns the bucket of a time that work took: one is a fifth longer than the one before. Its middle is 1.2 ^ (bucket + 0.5) seconds.
-- Locks: none. Raises: nothing.
create or replace function animus.duration_bucket(p_took interval) returns int
language sql immutable parallel safe as $$ select floor(ln(greatest(extract(epoch from p_took)::float8, 0.001)) / ln(1.2::float8))::int $$;

-- Returns what was submitted from a time on and before another, and what ended, each at its minute; at most p_most of each, the newest. Work that was retried has ended all the same,
-- as its mark says. p_submitter: only work of this one; null: of all.
-- Locks: none. Raises: nothing.
create or replace function animus.activity_between(p_since timestamptz, p_until timestamptz, p_submitter text, p_most int)
returns table (at timestamptz, faculty text, submitter text, kind text, bucket int, items bigint)
language plpgsql stable set jit = off set enable_seqscan = off as $$
begin
  return query
    select animus.interval_of('minute', e.at), e.faculty, coalesce(e.submitter, ''), e.kind, e.bucket, count(*)
      from (
        (select animus.time_of_id(w.id) as at, w.faculty, w.submitted_by as submitter, 'submitted' as kind, 0 as bucket from animus.work_items w
          where w.id >= animus.first_id_at(p_since) and w.id < animus.first_id_at(p_until) and (p_submitter is null or w.submitted_by = p_submitter) order by w.id desc limit p_most)
        union all
        (select w.resolved_at, w.faculty, w.submitted_by, w.state, animus.duration_bucket(w.resolved_at - w.created_at) from animus.work_items w
          where w.resolved_at >= p_since and w.resolved_at < p_until and (p_submitter is null or w.submitted_by = p_submitter) order by w.resolved_at desc limit p_most)
        union all
        (select m.created_at, w.faculty, w.submitted_by, m.detail ->> 'state', animus.duration_bucket(m.created_at - w.created_at)
           from animus.work_marks m join animus.work_items w on w.id = m.work_item_id
          where m.what = 'ended' and m.created_at >= p_since and m.created_at < p_until and (p_submitter is null or w.submitted_by = p_submitter) order by m.created_at desc limit p_most)) e
     group by 1, 2, 3, 4, 5;
end $$;

-- Adds up about p_limit items that were submitted or have ended, where everything is committed, and forgets minutes after three days and hours after 400. Returns how many rows it
-- has added to; null if there is nothing to read yet, or another daemon reads.
-- Locks: the reader's row, and skips it if another has it; the rows of the sums, which only it changes. Raises: nothing.
create or replace function animus.read_activity(p_limit int default 5000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off as $$
-- Callers: daemon.
declare
  v_now   constant timestamptz := animus.now();
  v_since timestamptz;
  v_until timestamptz;
  v_added int;
begin
  select p.since, p.until into v_since, v_until from animus.next_period('activity') p;
  if v_until is null then return null; end if;
  v_until := animus.part_of_period(v_since, v_until, p_limit);
  insert into animus.activity_sums as s (unit, at, faculty, submitter, kind, bucket, items)
  select u.unit, animus.interval_of(u.unit, a.at), a.faculty, a.submitter, a.kind, a.bucket, sum(a.items)
    from animus.activity_between(v_since, v_until, null, null) a
    cross join (values ('minute', v_now - interval '3 days'), ('hour', v_now - interval '400 days'), ('day', '-infinity'::timestamptz)) u (unit, oldest)
   where a.at >= u.oldest
   group by 1, 2, 3, 4, 5, 6
  on conflict (unit, at, faculty, submitter, kind, bucket) do update set items = s.items + excluded.items;
  get diagnostics v_added = row_count;
  perform animus.period_read('activity', v_until);
  delete from animus.activity_sums s where s.unit = 'minute' and s.at < v_now - interval '3 days';
  delete from animus.activity_sums s where s.unit = 'hour' and s.at < v_now - interval '400 days';
  delete from animus.activity_spend s where s.unit = 'minute' and s.at < v_now - interval '3 days';
  delete from animus.activity_spend s where s.unit = 'hour' and s.at < v_now - interval '400 days';
  return v_added;
end $$;

-- Returns what has happened in each interval of a period, of the work that the actor may see: how much was submitted and has ended, the median and the 95th percentile of the time
-- from submission to end (exact to a tenth), and what was spent: of days as animus.spend says, of hours and minutes by when calls were recorded. p_faculties: only of these; null:
-- of all. p_by_faculty: a row for each faculty in which something has happened; otherwise each interval has one row. partial: of the last moments, only the newest 20,000 items
-- were counted, because no daemon has added up the others. Minutes are kept for three days, hours for 400.
-- Locks: none. Raises: WA004 for more than 1,000 intervals.
create or replace function animus.visible_activity(p_unit text, p_since timestamptz, p_until timestamptz, p_faculties text[] default null, p_by_faculty boolean default false)
returns table (at timestamptz, faculty text, submitted bigint, completed bigint, dead bigint, cancelled bigint, merged bigint, p50_seconds float8, p95_seconds float8,
               usd numeric, input_tokens bigint, output_tokens bigint, partial boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
#variable_conflict use_column
declare
  v_since   timestamptz;
  v_step    interval;
  v_actor   text;
  v_read    timestamptz;
  v_partial boolean;
begin
  if p_unit is null or p_unit not in ('minute', 'hour', 'day') then perform animus.raise('WA004', 'an interval is a minute, an hour or a day'); end if;
  v_step := ('1 ' || p_unit)::interval;
  v_since := animus.interval_of(p_unit, p_since);
  if not isfinite(p_since) or not isfinite(p_until) or p_since is null or p_until is null or p_until > v_since + 1000 * v_step then
    perform animus.raise('WA004', 'a period has at most 1000 intervals', p_hint => 'ask for longer intervals, or for less at once');
  end if;
  v_actor := case when not animus.sees_all() then animus.actor() end;
  v_read := coalesce((select r.up_to from animus.periods_read r where r.reader = 'activity'), '-infinity');
  v_partial := (select count(*) from (select from animus.work_items w where w.id >= animus.first_id_at(v_read) limit 20000) c) = 20000
    or (select count(*) from (select from animus.work_items w where w.resolved_at >= v_read limit 20000) c) = 20000;
  return query
    with counted as materialized (
      select s.at, s.faculty, s.kind, s.bucket, s.items from animus.activity_sums s
       where s.unit = p_unit and s.at >= v_since and s.at < p_until and (v_actor is null or s.submitter = v_actor) and (p_faculties is null or s.faculty = any (p_faculties))
      union all
      select animus.interval_of(p_unit, a.at), a.faculty, a.kind, a.bucket, a.items
        from animus.activity_between(v_read, 'infinity', v_actor, 20000) a
       where a.at >= v_since and a.at < p_until and (p_faculties is null or a.faculty = any (p_faculties))),
    spent as materialized (
      select s.at, s.faculty, s.usd, s.input_tokens, s.output_tokens from animus.activity_spend s
       where s.unit = p_unit and s.at >= v_since and s.at < p_until and (v_actor is null or s.submitter = v_actor) and (p_faculties is null or s.faculty = any (p_faculties))
      union all
      select animus.interval_of(p_unit, coalesce(c.at, c.day::timestamp at time zone 'UTC')), c.faculty, coalesce(c.usd, 0) + c.lost_usd, c.input_tokens, c.output_tokens
        from animus.spend_calls c
       where p_unit <> 'day' and coalesce(c.at, c.day::timestamp at time zone 'UTC') >= v_since and coalesce(c.at, c.day::timestamp at time zone 'UTC') < p_until
         and (v_actor is null or c.submitter = v_actor) and (p_faculties is null or c.faculty = any (p_faculties))
      union all
      select d.day::timestamp at time zone 'UTC', d.faculty, d.usd, d.input_tokens, d.output_tokens from animus.spend_details d
       where p_unit = 'day' and d.day >= (v_since at time zone 'UTC')::date and d.day < (p_until at time zone 'UTC') and (v_actor is null or d.submitter = v_actor)
         and (p_faculties is null or d.faculty = any (p_faculties))),
    cells as (
      select g.at, null::text as faculty from generate_series(v_since, p_until - interval '1 microsecond', v_step) g (at) where not p_by_faculty
      union
      select c.at, c.faculty from counted c where p_by_faculty
      union
      select s.at, s.faculty from spent s where p_by_faculty),
    ends as (
      select c.at, case when p_by_faculty then c.faculty end as faculty, c.bucket, sum(c.items) as items from counted c where c.kind not in ('submitted', 'merged') group by 1, 2, 3),
    ranked as (
      select e.at, e.faculty, e.bucket, sum(e.items) over (partition by e.at, e.faculty order by e.bucket) as below, sum(e.items) over (partition by e.at, e.faculty) as of from ends e),
    took as (
      select r.at, r.faculty, power(1.2::float8, min(r.bucket) filter (where r.below >= r.of * 0.5) + 0.5) as p50, power(1.2::float8, min(r.bucket) filter (where r.below >= r.of * 0.95) + 0.5) as p95
        from ranked r group by 1, 2),
    kinds as (
      select c.at, case when p_by_faculty then c.faculty end as faculty, sum(c.items) filter (where c.kind = 'submitted') as submitted, sum(c.items) filter (where c.kind = 'completed') as completed,
             sum(c.items) filter (where c.kind = 'dead') as dead, sum(c.items) filter (where c.kind = 'cancelled') as cancelled, sum(c.items) filter (where c.kind = 'merged') as merged
        from counted c group by 1, 2),
    costs as (
      select s.at, case when p_by_faculty then s.faculty end as faculty, sum(s.usd) as usd, sum(s.input_tokens) as input_tokens, sum(s.output_tokens) as output_tokens from spent s group by 1, 2)
    select l.at, l.faculty, coalesce(k.submitted, 0)::bigint, coalesce(k.completed, 0)::bigint, coalesce(k.dead, 0)::bigint, coalesce(k.cancelled, 0)::bigint, coalesce(k.merged, 0)::bigint,
           t.p50, t.p95, coalesce(x.usd, 0), coalesce(x.input_tokens, 0)::bigint, coalesce(x.output_tokens, 0)::bigint, v_partial
      from cells l
      left join kinds k on k.at = l.at and k.faculty is not distinct from l.faculty
      left join took t on t.at = l.at and t.faculty is not distinct from l.faculty
      left join costs x on x.at = l.at and x.faculty is not distinct from l.faculty
     order by l.at, l.faculty;
end $$;
