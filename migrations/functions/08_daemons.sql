-- The daemons of this database, and what `animus status` shows.

-- Registers a daemon, or updates its registration, and notes which of its faculties are told of duplicates. p_session: as animus.daemons.session.
-- Locks: its row; the notes of its faculties. Raises: nothing.
drop function if exists animus.register_daemon(uuid, text, int, text, int, jsonb, jsonb);
create or replace function animus.register_daemon(
  p_id uuid, p_host text, p_pid int, p_version text, p_max_concurrent int, p_faculties jsonb, p_problems jsonb, p_session text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := animus.now();
begin
  insert into animus.daemons (id, host, pid, version, max_concurrent, faculties, problems, session, started_at, seen_at)
  values (p_id, p_host, p_pid, p_version, p_max_concurrent, p_faculties, p_problems, p_session, v_now, v_now)
  on conflict (id) do update set faculties = excluded.faculties, problems = excluded.problems, max_concurrent = excluded.max_concurrent, seen_at = excluded.seen_at, stopped_at = null;
  delete from animus.told_faculties t where p_faculties ? t.faculty and coalesce(p_faculties -> t.faculty ->> 'on_duplicate', 'merge') <> 'tell';
  insert into animus.told_faculties (faculty) select f.key from jsonb_each(p_faculties) f where f.value ->> 'on_duplicate' = 'tell'
  order by f.key on conflict do nothing;
end $$;

-- Records that a daemon has stopped.
-- Locks: its row. Raises: nothing.
create or replace function animus.deregister_daemon(p_id uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update animus.daemons set stopped_at = animus.now(), saturated = false where id = p_id
$$;

-- Returns the age of a faculty's oldest claimable item. Ids sort by time within a priority, so only the first of each priority
-- is read, highest priority first, at most fifty of them.
-- Locks: none. Raises: nothing.
create or replace function animus.oldest_queued(p_faculty text) returns timestamptz
language sql stable as $$
  with recursive level as (
    (select priority, created_at, 1 as n from animus.work_items
      where faculty = p_faculty and state = 'queued' and not key_blocked order by priority desc, id limit 1)
    union all
    select w.priority, w.created_at, l.n + 1 from level l cross join lateral (
      select priority, created_at from animus.work_items
       where faculty = p_faculty and state = 'queued' and not key_blocked and priority < l.priority order by priority desc, id limit 1) w
     where l.n < 50)
  select min(created_at) from level
$$;

-- Returns everything that `animus status` prints, in one call. Counts stop at count_cap, so that it stays cheap at any size; `capped`
-- names the states whose count is a lower bound. Of the work that ended within 24 hours, the newest count_cap items are counted by state: if there may be
-- more, each of these states is a lower bound, also one of 0. Dead work is counted as long as it exists, because it needs a person.
-- Locks: none. Raises: nothing.
create or replace function animus.status() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off set enable_bitmapscan = off as $$
-- Callers: reader, operator, daemon.
declare
  v_now    timestamptz := animus.now();
  v_cap    constant int := 1000;
  v_states jsonb;
  v_queue  jsonb;
  v_ended  bigint;
  v_capped text[];
begin
  with recent as materialized (
    select state from animus.work_items where resolved_at > v_now - interval '24 hours' order by resolved_at desc limit v_cap)
  select jsonb_object_agg(s.state, s.n), (select count(*) from recent) into v_states, v_ended from (
    select 'scheduled' as state, (select count(*) from (select from animus.work_items where state = 'scheduled' limit v_cap) c) as n
    union all select 'waiting', (select count(*) from (select from animus.work_items where state = 'waiting' limit v_cap) c)
    union all select 'dead', (select count(*) from (select from animus.work_items where state = 'dead' limit v_cap) c)
    union all select a.state, count(*) from animus.work_items a where a.state in ('claimed', 'running') group by a.state
    union all select r.state, count(*) from recent r where r.state <> 'dead' group by r.state) s;
  if v_ended >= v_cap then v_states := '{"completed": 0, "merged": 0, "cancelled": 0}' || v_states; end if;
  v_capped := array(select key from jsonb_each(v_states) where key in ('scheduled', 'waiting', 'dead') and value::int >= v_cap)
    || case when v_ended >= v_cap then array['completed', 'merged', 'cancelled'] else '{}' end;

  -- Skip scans over the claim index and that of items whose concurrency key is busy: one probe per faculty that has work, and one
  -- per priority of it for the oldest item, however many there are. Only the counts read rows, up to the cap.
  with recursive faculties as (
    (select faculty from animus.work_items where state = 'queued' and not key_blocked order by faculty limit 1)
    union all
    select (select w.faculty from animus.work_items w where w.state = 'queued' and not w.key_blocked and w.faculty > f.faculty order by w.faculty limit 1)
      from faculties f where f.faculty is not null),
  blocked as (
    select b.faculty, count(*) as n, min(b.created_at) as oldest
      from (select w.faculty, w.created_at from animus.work_items w where w.state = 'queued' and w.key_blocked limit v_cap) b group by b.faculty),
  named as (
    select faculty from faculties where faculty is not null union select faculty from blocked)
  select coalesce(jsonb_agg(jsonb_build_object('faculty', q.faculty, 'queued', q.n, 'capped', q.n >= v_cap or q.blocked >= v_cap,
           'oldest_at', q.oldest, 'routable', q.routable) order by q.faculty), '[]')
    into v_queue
    from (select f.faculty, (select coalesce(sum(n), 0) from blocked) as blocked,
                 least(v_cap, coalesce(b.n, 0) + (select count(*) from (
                   select from animus.work_items w where w.faculty = f.faculty and w.state = 'queued' and not w.key_blocked limit v_cap) c)) as n,
                 least(b.oldest, animus.oldest_queued(f.faculty)) as oldest,
                 exists (select from animus.daemons d where d.stopped_at is null and d.seen_at > v_now - interval '2 minutes' and d.faculties ? f.faculty) as routable
            from named f left join blocked b on b.faculty = f.faculty) q;

  if v_queue @> '[{"capped": true}]' then v_capped := v_capped || 'queued'::text; end if;

  return jsonb_build_object(
    'at', v_now,
    'count_cap', v_cap,
    'capped', to_jsonb(v_capped),
    'states', v_states || jsonb_build_object('queued', (select coalesce(sum((q ->> 'queued')::int), 0) from jsonb_array_elements(v_queue) q)),
    'queue', v_queue,
    'foci', (select coalesce(jsonb_agg(jsonb_build_object(
        'work_item_id', w.id, 'focus_id', f.id, 'faculty', w.faculty, 'description', left(w.description, 200), 'phase', f.phase, 'state', w.state,
        'turn', (select max(t.turn) from animus.turns t where t.focus_id = f.id), 'started_at', f.started_at, 'host', f.host, 'daemon_id', w.lease_owner,
        'plan', (select left(l.content, 400) from animus.work_ledger l where l.work_item_id = w.id and l.entry_type = 'plan' order by l.seq desc limit 1),
        'cost_usd', animus.known_cost(w.cost_usd + w.lost_usd, w.unpriced_calls, w.calls + w.lost_requests), 'unpriced_calls', w.unpriced_calls) order by w.id), '[]')
      from (select * from animus.work_items where state in ('claimed', 'running') order by id limit 200) w
      left join animus.foci f on f.work_item_id = w.id and f.ended_as is null),
    'daemons', (select coalesce(jsonb_agg(jsonb_build_object(
        'id', d.id, 'host', d.host, 'pid', d.pid, 'version', d.version, 'max_concurrent', d.max_concurrent, 'saturated', d.saturated,
        'faculties', (select coalesce(jsonb_agg(k order by k), '[]') from jsonb_object_keys(d.faculties) k),
        -- A faculty that is held is tried again with its next item. Where none has come a minute later, nothing waits there.
        'problems', d.problems || (select coalesce(jsonb_agg(format('on %s:%s, faculty %s has been waiting since %sZ: %s', d.host, d.pid, f.key,
            left(f.value #>> '{held,since}', 16), f.value #>> '{held,reason}') order by f.key), '[]')
          from jsonb_each(d.faculties) f where (f.value #>> '{held,until}')::timestamptz > v_now - interval '1 minute')
          -- Another daemon has found it, and this one leaves it out, too.
          || (select coalesce(jsonb_agg(format('nothing of %s can be claimed (SQLSTATE %s)', x.faculty, x.sqlstate) order by x.faculty), '[]')
          from animus.faculty_faults x where x.until > v_now and d.faculties ? x.faculty
           and not exists (select from jsonb_array_elements(d.problems) p where strpos(p #>> '{}', format('nothing of %s can be claimed', x.faculty)) > 0)),
        'blocked_at', d.blocked_at, 'blocked_seconds', d.blocked_seconds, 'blocks', d.blocks,
        'started_at', d.started_at, 'seen_at', d.seen_at, 'stopped_at', d.stopped_at, 'alive', d.stopped_at is null and d.seen_at > v_now - interval '2 minutes',
        -- Of the work that it still has: after that, others take it over.
        'lease_until', (select max(w.lease_expires_at) from animus.work_items w where w.state in ('claimed', 'running') and w.lease_owner = d.id)) order by d.started_at), '[]')
      from animus.daemons d where d.stopped_at is null or d.stopped_at > v_now - interval '1 hour'),
    'dead_letters', (select coalesce(jsonb_agg(jsonb_build_object(
        'work_item_id', w.id, 'faculty', w.faculty, 'description', left(w.description, 200), 'attempts', w.attempts, 'resolved_at', w.resolved_at,
        'reason', left(coalesce(w.error ->> 'message', w.error ->> 'reason', w.error::text, ''), 400)) order by w.resolved_at desc), '[]')
      from (select * from animus.work_items where state = 'dead' order by resolved_at desc limit 10) w),
    'kept', (select jsonb_build_object('rows', (select count(*) from (select from animus.retention_kept limit v_cap) c),
        'examples', (select coalesce(jsonb_agg(jsonb_build_object('table', k.table_name, 'id', k.id, 'referenced_by', k.referenced_by) order by k.seen_at desc), '[]')
          from (select * from animus.retention_kept order by seen_at desc limit 5) k))),
    'pauses', (select coalesce(jsonb_agg(to_jsonb(p) order by p.faculty), '[]') from animus.pauses p where p.until is null or p.until > v_now),
    'spend_today', (select coalesce(jsonb_agg(jsonb_build_object('faculty', s.faculty, 'model', s.model, 'usd', animus.known_cost(s.usd, coalesce((to_jsonb(s) ->> 'unpriced_calls')::bigint, 0),
          s.calls + coalesce((to_jsonb(s) ->> 'lost_requests')::bigint, 0)),
        'unpriced_calls', coalesce((to_jsonb(s) ->> 'unpriced_calls')::bigint, 0), 'uncounted_calls', coalesce((to_jsonb(s) ->> 'uncounted_calls')::bigint, 0),
        'estimated_usd', coalesce((to_jsonb(s) ->> 'estimated_usd')::numeric, 0), 'lost_usd', coalesce((to_jsonb(s) ->> 'lost_usd')::numeric, 0),
        'lost_requests', coalesce((to_jsonb(s) ->> 'lost_requests')::bigint, 0),
        'input_tokens', animus.known_tokens(s.input_tokens, coalesce((to_jsonb(s) ->> 'uncounted_calls')::bigint, 0), s.calls),
        'output_tokens', animus.known_tokens(s.output_tokens, coalesce((to_jsonb(s) ->> 'uncounted_calls')::bigint, 0), s.calls), 'calls', s.calls, 'code_runs', coalesce((to_jsonb(s) ->> 'code_runs')::bigint, 0)) order by s.faculty, s.model), '[]') from animus.spend s where s.day = (v_now at time zone 'UTC')::date),
    'memory', (select value from animus.settings where key = 'memory'));
end $$;
