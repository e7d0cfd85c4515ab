-- Schedules. A daemon computes when a cron expression is due; the firing is decided here, by the database's clock,
-- exactly once.

-- Completes an inserted or updated schedule. People write schedules by plain SQL. A new or changed one has no next_at;
-- a daemon computes it at its next poll.
-- Locks: none. Raises: WA004.
create or replace function animus.schedules_before_write() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'INSERT' or (new.cron, new.time_zone, new.description, new.params) is distinct from (old.cron, old.time_zone, old.description, old.params) then
    if octet_length(new.description) > 1048576 or animus.json_bytes(new.params) > 1048576 or octet_length(new.cron) > 1024 or octet_length(new.time_zone) > 1024 then
      perform animus.raise('WA004', format('schedule %s is too large: description %s and params %s bytes, of at most 1048576 (1 MiB); cron %s and time_zone %s, of at most 1024',
        new.name, octet_length(new.description), animus.json_bytes(new.params), octet_length(new.cron), octet_length(new.time_zone)));
    end if;
    if animus.json_problem(new.params) is not null then
      perform animus.raise('WA004', format('params of schedule %s %s', new.name, animus.json_problem(new.params)));
    end if;
  end if;
  if tg_op = 'INSERT' then
    new.created_at := coalesce(new.created_at, animus.now());
    new.writers := array[animus.actor()];
    return new;
  end if;
  -- Nobody takes a name away.
  new.writers := old.writers;
  if (new.faculty, new.description, new.params) is distinct from (old.faculty, old.description, old.params) and animus.actor() <> all (old.writers) then
    new.writers := old.writers || animus.actor();
  end if;
  -- Runs that were due under the old expression, or during a pause, are not made up.
  if (new.cron, new.time_zone) is distinct from (old.cron, old.time_zone) or old.paused and not new.paused then
    if new.next_at is not distinct from old.next_at then new.next_at := null; end if;
    new.problem := null;
  end if;
  return new;
end $$;

create or replace trigger schedules_before_write before insert or update on animus.schedules
  for each row execute function animus.schedules_before_write();

-- The newest item of each schedule that has not ended. Of its last hundred runs: under `skip` and `queue` there is one, besides those that people
-- have begun. Retention keeps the runs of items that have not ended.
create or replace view animus.open_runs as
  select s.name as schedule, o.work_item_id
    from animus.schedules s cross join lateral (
      select w.id as work_item_id
        from (select r.work_item_id, r.due_at from animus.schedule_runs r where r.schedule = s.name and r.work_item_id is not null order by r.due_at desc limit 100) r
             join animus.work_items w on w.id = r.work_item_id and w.resolved_at is null
       order by r.due_at desc limit 1) o;

-- Returns the newest item of a schedule that has not ended; null: none.
-- Locks: none. Raises: nothing.
create or replace function animus.open_run(p_schedule text) returns uuid
language sql stable as $$
  select o.work_item_id from animus.open_runs o where o.schedule = p_schedule
$$;

-- Returns whether an item of a schedule had not ended at a time, so that a run that was due then and is queued had to wait.
-- Locks: none. Raises: nothing.
create or replace function animus.was_open(p_schedule text, p_at timestamptz) returns boolean
language sql stable as $$
  select exists (
    select from (select r.work_item_id from animus.schedule_runs r where r.schedule = p_schedule and r.due_at < p_at and r.work_item_id is not null order by r.due_at desc limit 100) r
           join animus.work_items w on w.id = r.work_item_id and coalesce(w.resolved_at >= p_at, true))
$$;

-- Returns what a daemon's scheduler needs, in one call: {now, due: [schedules that are due or have no next_at], next_in_ms}. One that queues its runs
-- is not due while an item of it has not ended; then `held` says that this was why it is late.
-- Times are texts, because a client's time type may be coarser and would not compare equal. p_recheck: include schedules
-- with a problem.
-- Locks: none. Raises: nothing.
create or replace function animus.due_schedules(p_recheck boolean default false) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := animus.now();
begin
  return jsonb_build_object('now', v_now,
    'due', (select coalesce(jsonb_agg(jsonb_build_object('name', s.name, 'cron', s.cron, 'time_zone', s.time_zone, 'missed', s.missed,
        'grace_seconds', s.grace_seconds, 'overlap', s.overlap, 'next_at', s.next_at,
        'held', s.overlap = 'queue' and s.next_at is not null and animus.was_open(s.name, s.next_at)) order by s.next_at nulls first, s.name), '[]')
      from animus.schedules s where not s.paused and (s.next_at <= v_now or s.next_at is null and (s.problem is null or p_recheck))
       and not (s.overlap = 'queue' and s.next_at is not null and animus.open_run(s.name) is not null)),
    'next_in_ms', (select extract(epoch from min(s.next_at) - v_now) * 1000 from animus.schedules s where not s.paused and s.next_at > v_now));
end $$;

-- Fires a schedule for the due times p_due and sets its next_at to p_next_at, unless it has changed since the caller read it:
-- of several daemons, only one fires it. Returns the new items' ids, or null if another daemon was first. p_missed: {from,
-- until, runs} of the due times that never fire: missed or, of one that queues its runs behind an item, skipped. p_problem: why there is no p_next_at. While an item of the schedule has not ended, overlap `skip` records
-- its runs as skipped, and `queue` leaves them due (null); it fires one of p_due at a time.
-- Locks: the schedule's row. Raises: WA003, WA004, 23514.
create or replace function animus.fire_schedule(
  p_name text, p_expected_next_at timestamptz, p_next_at timestamptz, p_due timestamptz[] default '{}', p_missed jsonb default null, p_problem text default null)
returns uuid[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now      timestamptz := animus.now();
  v_schedule animus.schedules;
  v_due      timestamptz;
  v_fires    timestamptz[] := p_due;
  v_next     timestamptz := p_next_at;
  v_ids      uuid[] := '{}';
begin
  -- The row lock makes what follows safe: nobody else begins an item of the schedule.
  select * into v_schedule from animus.schedules s
   where s.name = p_name and s.next_at is not distinct from p_expected_next_at and not s.paused for no key update;
  if not found then return null; end if;
  if exists (select from unnest(p_due) d where d > v_now) then
    perform animus.raise('WA004', format('schedule %s is not due yet', p_name));
  end if;
  if v_schedule.overlap = 'queue' and cardinality(p_due) > 0 then
    if animus.open_run(p_name) is not null then return null; end if;
    v_fires := p_due[1:1];
    v_next := coalesce(p_due[2], p_next_at);
  end if;
  update animus.schedules set next_at = v_next, problem = p_problem, last_at = coalesce((select max(d) from unnest(v_fires) d), last_at) where name = p_name;
  if p_missed is not null then
    insert into animus.schedule_runs (schedule, due_at, result, until_at, runs, recorded_at)
    values (p_name, (p_missed ->> 'from')::timestamptz,
            case when v_schedule.overlap = 'queue' and animus.was_open(p_name, (p_missed ->> 'from')::timestamptz) then 'skipped' else 'missed' end, (p_missed ->> 'until')::timestamptz, (p_missed ->> 'runs')::int, v_now)
    on conflict do nothing;
  end if;
  foreach v_due in array v_fires loop
    continue when exists (select from animus.schedule_runs where schedule = p_name and due_at = v_due and result = 'fired');
    if v_schedule.overlap = 'skip' and animus.open_run(p_name) is not null then
      perform animus.record_skipped(p_name, v_due, v_now);
    else
      v_ids := v_ids || animus.start_scheduled(v_schedule, v_due, 'fired', v_now);
    end if;
  end loop;
  return v_ids;
end $$;

-- Records that a run was skipped: one row for as many as follow each other, counted up to 1,000.
-- Locks: the row of the last run. Raises: nothing.
create or replace function animus.record_skipped(p_schedule text, p_due timestamptz, p_now timestamptz) returns void
language plpgsql as $$
begin
  update animus.schedule_runs r set until_at = p_due, runs = least(r.runs + 1, 1000), recorded_at = p_now
   where r.schedule = p_schedule and r.result = 'skipped' and r.until_at < p_due
     and r.due_at = (select max(l.due_at) from animus.schedule_runs l where l.schedule = p_schedule);
  if found then return; end if;
  insert into animus.schedule_runs (schedule, due_at, result, until_at, recorded_at) values (p_schedule, p_due, 'skipped', p_due, p_now) on conflict do nothing;
end $$;

-- Inserts the item of one run of a schedule and records the run.
-- Locks: as an insert. Raises: WA003, WA004, 23514.
create or replace function animus.start_scheduled(p_schedule animus.schedules, p_due timestamptz, p_result text, p_now timestamptz) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_id uuid;
begin
  insert into animus.work_items (faculty, description, params, source, trigger_info)
  values (p_schedule.faculty, p_schedule.description, p_schedule.params, 'schedule',
          jsonb_build_object('schedule', p_schedule.name, 'due_at', p_due, 'manual', p_result = 'manual', 'written_by', to_jsonb(p_schedule.writers)))
  returning id into v_id;
  insert into animus.schedule_runs as r (schedule, due_at, result, until_at, work_item_id, recorded_at)
  values (p_schedule.name, p_due, p_result, p_due, v_id, p_now)
  on conflict (schedule, due_at) do update set result = excluded.result, until_at = excluded.until_at, runs = 1, work_item_id = excluded.work_item_id,
     recorded_at = excluded.recorded_at;
  return v_id;
end $$;

-- Returns the part of `animus status` about schedules and the inbox. Counts stop at 10,000.
-- Locks: none. Raises: nothing.
create or replace function animus.ways_in_status() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: reader, operator, daemon.
declare
  v_inbox     record;
  v_schedules jsonb;
begin
  select b.waiting, b.oldest_at into v_inbox from animus.inbox_backlog() b;
  -- Most databases have none, and a new session takes 3 ms for this plan.
  if exists (select from animus.schedules) then
    select jsonb_agg(jsonb_build_object('name', s.name, 'faculty', s.faculty, 'cron', s.cron, 'time_zone', s.time_zone,
        'paused', s.paused, 'problem', s.problem, 'next_at', s.next_at, 'last_at', s.last_at,
        'missed_24h', (select coalesce(sum(r.runs), 0) from animus.schedule_runs r
          where r.schedule = s.name and r.result = 'missed' and r.recorded_at > animus.now() - interval '24 hours'),
        'overlap', s.overlap,
        -- Since its last item began.
        'skipped', coalesce((select case r.result when 'skipped' then r.runs end from animus.schedule_runs r where r.schedule = s.name order by r.due_at desc limit 1), 0),
        'open_item', case when s.overlap <> 'allow' then animus.open_run(s.name) end) order by s.name)
      into v_schedules
      from (select * from animus.schedules order by name limit 200) s;
  end if;
  return jsonb_build_object(
    'inbox', jsonb_build_object(
      'waiting', v_inbox.waiting,
      'oldest_at', v_inbox.oldest_at,
      'dead', (select count(*) from (select from pgmq.q_animus_inbox_dead limit 10000) c),
      'last_dead_reason', (select left(m.message ->> 'reason', 400) from pgmq.q_animus_inbox_dead m order by m.msg_id desc limit 1)),
    'schedules', coalesce(v_schedules, '[]'));
end $$;
