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

-- Returns what a daemon's scheduler needs, in one call: {now, due: [schedules that are due or have no next_at], next_in_ms}.
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
        'grace_seconds', s.grace_seconds, 'next_at', s.next_at) order by s.next_at nulls first, s.name), '[]')
      from animus.schedules s where not s.paused and (s.next_at <= v_now or s.next_at is null and (s.problem is null or p_recheck))),
    'next_in_ms', (select extract(epoch from min(s.next_at) - v_now) * 1000 from animus.schedules s where not s.paused and s.next_at > v_now));
end $$;

-- Fires a schedule for the due times p_due and sets its next_at to p_next_at, unless it has changed since the caller read it:
-- of several daemons, only one fires it. Returns the new items' ids, or null if another daemon was first. p_missed: {from,
-- until, runs} of the skipped due times. p_problem: why there is no p_next_at.
-- Locks: the schedule's row. Raises: WA003, WA004, 23514.
create or replace function animus.fire_schedule(
  p_name text, p_expected_next_at timestamptz, p_next_at timestamptz, p_due timestamptz[] default '{}', p_missed jsonb default null, p_problem text default null)
returns uuid[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now      timestamptz := animus.now();
  v_schedule animus.schedules;
  v_due      timestamptz;
  v_ids      uuid[] := '{}';
begin
  update animus.schedules
     set next_at = p_next_at, problem = p_problem, last_at = coalesce((select max(d) from unnest(p_due) d), last_at)
   where name = p_name and next_at is not distinct from p_expected_next_at and not paused
  returning * into v_schedule;
  if not found then return null; end if;
  if exists (select from unnest(p_due) d where d > v_now) then
    perform animus.raise('WA004', format('schedule %s is not due yet', p_name));
  end if;
  if p_missed is not null then
    insert into animus.schedule_runs (schedule, due_at, result, until_at, runs, recorded_at)
    values (p_name, (p_missed ->> 'from')::timestamptz, 'missed', (p_missed ->> 'until')::timestamptz, (p_missed ->> 'runs')::int, v_now)
    on conflict do nothing;
  end if;
  foreach v_due in array p_due loop
    -- The row lock on the schedule makes this check safe.
    continue when exists (select from animus.schedule_runs where schedule = p_name and due_at = v_due and result = 'fired');
    v_ids := v_ids || animus.start_scheduled(v_schedule, v_due, 'fired', v_now);
  end loop;
  return v_ids;
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

-- Submits a schedule's work now, also while it is paused; its next run does not change.
-- Locks: the schedule's row. Raises: WA003, WA004, 23514, 42501.
create or replace function animus.run_schedule(p_name text) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now      timestamptz := animus.now();
  v_schedule animus.schedules;
begin
  perform animus.require_operator();
  select * into v_schedule from animus.schedules where name = p_name for no key update;
  if not found then
    perform animus.raise('WA003', format('no schedule %s', p_name));
  end if;
  return animus.start_scheduled(v_schedule, v_now, 'manual', v_now);
end $$;

-- Returns the part of `animus status` about schedules and the inbox. Counts stop at 10,000.
-- Locks: none. Raises: nothing.
create or replace function animus.ways_in_status() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object(
    'inbox', jsonb_build_object(
      'waiting', b.waiting,
      'oldest_at', b.oldest_at,
      'dead', (select count(*) from (select from pgmq.q_animus_inbox_dead limit 10000) c),
      'last_dead_reason', (select left(m.message ->> 'reason', 400) from pgmq.q_animus_inbox_dead m order by m.msg_id desc limit 1)),
    'schedules', (select coalesce(jsonb_agg(jsonb_build_object('name', s.name, 'faculty', s.faculty, 'cron', s.cron, 'time_zone', s.time_zone,
        'paused', s.paused, 'problem', s.problem, 'next_at', s.next_at, 'last_at', s.last_at,
        'missed_24h', (select coalesce(sum(r.runs), 0) from animus.schedule_runs r
          where r.schedule = s.name and r.result = 'missed' and r.recorded_at > animus.now() - interval '24 hours')) order by s.name), '[]')
      from (select * from animus.schedules order by name limit 200) s))
    from animus.inbox_backlog() b
$$;
