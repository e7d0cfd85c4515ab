-- What operators do with schedules.

-- Adds a schedule, for an operator. A daemon computes when it is due; the expression is the caller's to check.
-- Locks: none. Raises: WA002 where no trigger runs, WA004, 23505, 23514, 42501.
drop function if exists animus.add_schedule(text, text, text, text, text, jsonb, text, int, boolean);
create or replace function animus.add_schedule(
  p_name text, p_cron text, p_faculty text, p_time_zone text default 'UTC', p_description text default '', p_params jsonb default '{}',
  p_missed text default 'once', p_grace_seconds int default 3600, p_paused boolean default false, p_overlap text default 'allow') returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_operator();
  perform animus.require_triggers('a schedule');
  insert into animus.schedules (name, cron, time_zone, faculty, description, params, missed, grace_seconds, paused, overlap)
  values (p_name, p_cron, p_time_zone, p_faculty, p_description, p_params, p_missed, p_grace_seconds, p_paused, p_overlap);
end $$;

-- Pauses a schedule or resumes it, for an operator, and returns whether that changed anything.
-- Locks: the schedule's row. Raises: WA003, 42501.
create or replace function animus.pause_schedule(p_name text, p_paused boolean) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_was boolean;
begin
  perform animus.require_operator();
  select s.paused into v_was from animus.schedules s where s.name = p_name for no key update;
  if not found then perform animus.raise('WA003', format('no schedule %s', p_name)); end if;
  update animus.schedules s set paused = p_paused where s.name = p_name and s.paused <> p_paused;
  return v_was <> p_paused;
end $$;

-- Removes a schedule with the record of its runs, for an operator; their work items stay.
-- Locks: the schedule's row. Raises: WA003, 42501.
create or replace function animus.remove_schedule(p_name text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_operator();
  delete from animus.schedules s where s.name = p_name;
  if not found then perform animus.raise('WA003', format('no schedule %s', p_name)); end if;
end $$;

-- Submits a schedule's work now, also while it is paused or an item of it has not ended; its next run does not change.
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
