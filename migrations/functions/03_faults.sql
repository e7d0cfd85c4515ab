-- Claims that fail because of one item: it is found, named and left out for a while, so that all others go on.

-- Says how far an error of a claim reaches if nothing else shows it. 'nothing': it passes by itself (a lock, a deadlock, a time-out, a server that is
-- full, read-only or restarts), and no item is to blame. 'item': something in the row. 'everything': a statement, a table, a setting or a right.
-- Locks: none. Raises: nothing.
create or replace function animus.error_reach(p_sqlstate text) returns text
language sql immutable parallel safe as $$
  select case when left(p_sqlstate, 2) in ('08', '25', '40', '53', '57', '58') or p_sqlstate = '55P03' then 'nothing'
              when left(p_sqlstate, 2) in ('0A', '28', '3D', '3F', '42', '55', 'F0', 'HV') or p_sqlstate = 'XX000' then 'everything'
              else 'item' end
$$;

-- Returns the items that no claim takes now, because claims failed on them.
-- Locks: none. Raises: nothing.
create or replace function animus.faulty_items(p_now timestamptz) returns uuid[]
language plpgsql stable as $$
begin
  return coalesce((select array_agg(f.work_item_id) from animus.claim_faults f where f.until > p_now), '{}');
end $$;

-- Returns the faculties from which nothing is claimed now, because everything that was tried failed in the same way.
-- Locks: none. Raises: nothing.
create or replace function animus.faulty_faculties(p_now timestamptz) returns text[]
language plpgsql stable as $$
begin
  return coalesce((select array_agg(f.faculty) from animus.faculty_faults f where f.until > p_now), '{}');
end $$;

-- Forgets the faults of items that were claimed now, or that nobody claims any longer; and those of the faculties of what was claimed now, or that nothing failed of
-- for an hour.
-- Locks: the faults, and skips those that others have locked. Raises: nothing.
create or replace function animus.forget_faults(p_claimed uuid[]) returns void
language plpgsql as $$
begin
  delete from animus.claim_faults where work_item_id in (
    select f.work_item_id from animus.claim_faults f
     where f.work_item_id = any (p_claimed) or not exists (
       select from animus.work_items w where w.id = f.work_item_id and w.state in ('queued', 'scheduled', 'claimed', 'running', 'waiting'))
       for update skip locked);
  delete from animus.faculty_faults where faculty in (
    select f.faculty from animus.faculty_faults f
     where f.until < animus.now() - interval '1 hour' or exists (select from animus.work_items w where w.id = any (p_claimed) and w.faculty = f.faculty)
       for update skip locked);
end $$;

-- Returns until when claims leave out what has failed so many times before: for ten seconds, and each time for twice as long, at most an hour.
-- Locks: none. Raises: nothing.
create or replace function animus.left_out_until(p_failures int, p_now timestamptz) returns timestamptz
language sql immutable parallel safe as $$
  select p_now + least(3600, 10 * 2 ^ least(p_failures, 9)) * interval '1 second'
$$;

drop function if exists animus.note_faculty_faults(jsonb[]);
-- Notes that claims, or what goes before them, failed on items, each with its id, its SQLSTATE as state, and message; or on whatever they tried of faculties, each with its faculty in
-- place of an id. Claims leave them out for a while (left_out_until). Returns what was noted, a hundred of the items at most. work_item_id: null for a faculty.
-- failures: how often it has failed. until: when it is tried again.
-- Locks: the faults of these. Raises: nothing.
create or replace function animus.note_faults(p_faults jsonb[])
returns table (faculty text, work_item_id uuid, message text, failures int, until timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := animus.now();
begin
  return query
    with fault as materialized (
      select (f ->> 'id')::uuid as id, f ->> 'faculty' as faculty, f ->> 'state' as state, f ->> 'message' as message from unnest(p_faults) f),
    faculties as (
      insert into animus.faculty_faults as c (faculty, failures, since, until, sqlstate)
      select f.faculty, 1, v_now, animus.left_out_until(0, v_now), f.state from fault f where f.id is null order by f.faculty
          on conflict (faculty) do update set failures = c.failures + 1, sqlstate = excluded.sqlstate, until = animus.left_out_until(c.failures, v_now)
      returning c.faculty, c.failures, c.until),
    items as (
      insert into animus.claim_faults as c (work_item_id, failures, since, until, sqlstate)
      select f.id, 1, v_now, animus.left_out_until(0, v_now), f.state from fault f where f.id is not null order by f.id
          on conflict (work_item_id) do update set failures = c.failures + 1, sqlstate = excluded.sqlstate, until = animus.left_out_until(c.failures, v_now)
      returning c.work_item_id, c.failures, c.until)
    (select n.faculty, null::uuid, f.message, n.failures, n.until from faculties n join fault f on f.faculty = n.faculty and f.id is null order by n.faculty)
    union all
    (select w.faculty, n.work_item_id, f.message, n.failures, n.until
       from items n join fault f on f.id = n.work_item_id join animus.work_items w on w.id = n.work_item_id order by n.work_item_id limit 100);
end $$;

-- Tries what a claim does with one item, and undoes it. Returns the SQLSTATE and the words of the error, or nulls; tried: whether there was anything to
-- do, which there is not where another transaction has the row, or where it goes on with nobody.
-- Locks: what a claim locks, while it tries: others claim between two tries. Raises: nothing but a time-out or a cancel.
create or replace function animus.try_item(p_id uuid, p_daemon_id uuid, p_faculties jsonb, p_now timestamptz, out tried boolean, out sqlstate_ text, out message text)
language plpgsql as $$
declare
  v_item record;
begin
  tried := false;
  begin
    lock table animus.claim_turn in share update exclusive mode;  -- as in claim_ready_work
    select w.state, w.key_blocked, w.suspect_of, w.run_at, w.lease_expires_at into v_item from animus.work_items w where w.id = p_id for no key update skip locked;
    if found then
      if v_item.state in ('claimed', 'running') then
        -- False may mean that nothing was changed: the fate of its daemon is not known yet.
        tried := v_item.lease_expires_at < p_now and animus.reclaim_item(p_id, p_daemon_id, p_faculties, p_now, p_now + interval '1 minute');
      else
        tried := true;
        if v_item.state = 'scheduled' then update animus.work_items set state = 'queued' where id = p_id; end if;
        if v_item.suspect_of is not null then update animus.work_items set suspect_of = null, alone_until = null where id = p_id; end if;
        if v_item.key_blocked then update animus.work_items set key_blocked = false where id = p_id; end if;
        perform animus.claim_take(array[p_id], p_daemon_id, p_faculties, p_now, p_now + interval '1 minute');
      end if;
      -- The row is sent to the daemon, and all of it has to be readable. What applications check at the commit is checked now.
      perform length((select w::text from animus.work_items w where w.id = p_id));
      set constraints all immediate;
    end if;
    raise exception using errcode = 'WA0FT', message = 'undo';
  exception
    when sqlstate 'WA0FT' then return;
    when others then
      get stacked diagnostics sqlstate_ = returned_sqlstate, message = message_text;
      tried := true;
  end;
end $$;

-- Returns what a claim would touch now, beside the first in the queues of the faculties: what is due, what has a freed key, what is suspected, and what
-- has an expired lease.
-- Locks: none. Raises: nothing.
create or replace function animus.touched_items(p_faculties jsonb, p_without uuid[], p_now timestamptz) returns uuid[]
language plpgsql stable as $$
begin
  return array(
    select t.id from (
      (select w.id from animus.work_items w where w.state = 'scheduled' and w.run_at <= p_now order by w.run_at limit 1000)
      union all
      (select w.id from (select distinct f.concurrency_key from animus.freed_keys f limit 1000) k
         cross join lateral (select w.id from animus.work_items w where w.concurrency_key = k.concurrency_key and w.state = 'queued' and w.key_blocked
                              order by w.faculty, w.priority desc, w.id limit 20) w)
      union all
      (select w.id from animus.work_items w where w.suspect_of is not null and w.state = 'queued' limit 1000)
      union all
      (select w.id from animus.work_items w where w.state in ('claimed', 'running') and w.lease_expires_at < p_now and p_faculties ? w.faculty
        order by w.lease_expires_at limit 1000)) t (id)
      join animus.work_items w on w.id = t.id
     where t.id <> all (p_without) and w.faculty <> all (animus.faulty_faculties(p_now)));
end $$;

-- Finds out what made a claim fail: tries everything that it would touch separately, and undoes that. Called by a daemon after a claim that failed, before
-- it claims again. p_sqlstate: of that error. p_limit: as in claim_ready_work, with what it would have claimed ahead.
-- reach 'item': claims leave this item out for a while (note_faults). 'faculty': claims leave all of it out: its queue cannot be read, or two or
-- more of its items failed alike and none passed, while others did; ten of them are enough. 'everything': all that was tried failed alike, and none of it is to blame. No row: the error has
-- passed, or it is one that passes by itself.
-- It takes five seconds at most, and two once it has found something that is to blame. Others claim meanwhile.
-- Locks: what a claim locks, while it tries one item; then the faults. Raises: nothing but a time-out or a cancel.
create or replace function animus.find_faults(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_sqlstate text)
returns table (reach text, faculty text, work_item_id uuid, message text, failures int, until timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_now     timestamptz := animus.now();
  v_began   timestamptz := clock_timestamp();
  v_without uuid[];
  v_heads   jsonb := '{}';
  v_name    text;
  v_options jsonb;
  v_state   text;
  v_words   text;
  v_try     record;
  v_tried   boolean;
  v_passed  int := 0;
  v_found   jsonb[] := '{}';
  v_done    jsonb[] := '{}';
  v_bad     jsonb := '{}';
  v_good    text[] := '{}';
begin
  if animus.error_reach(p_sqlstate) = 'nothing' then return; end if;
  p_faculties := p_faculties - animus.faulty_faculties(v_now);
  v_without := animus.faulty_items(v_now);
  for v_name, v_options in select e.key, e.value from jsonb_each(p_faculties) e loop
    begin
      v_heads := v_heads || jsonb_build_object(v_name,
        to_jsonb(coalesce(animus.claim_choose(p_daemon_id, jsonb_build_object(v_name, v_options), greatest(p_limit, 10), 0, v_without, v_now), '{}')));
    exception when others then
      get stacked diagnostics v_state = returned_sqlstate, v_words = message_text;
      if animus.error_reach(v_state) <> 'nothing' then
        v_found := v_found || jsonb_build_object('faculty', v_name, 'state', v_state, 'message', v_words);
      end if;
    end;
  end loop;
  if v_heads = '{}' and cardinality(v_found) > 1 then
    return query select 'everything', null::text, null::uuid, v_found[1] ->> 'message', null::int, null::timestamptz;
    return;
  end if;
  return query select 'faculty', n.* from animus.note_faults(v_found) n;

  -- The first of each faculty first, so that whatever passes is seen early.
  for v_try in
    select distinct on (nth, id) t.id, t.faculty, t.nth from (
      select h.id::uuid as id, e.key as faculty, h.nth from jsonb_each(v_heads) e cross join lateral jsonb_array_elements_text(e.value) with ordinality h (id, nth)
      union all
      select u.id, w.faculty, 1 + u.nth from unnest(animus.touched_items(p_faculties, v_without, v_now)) with ordinality u (id, nth) join animus.work_items w on w.id = u.id) t
     order by nth, id
  loop
    -- More of the same would say nothing new.
    continue when (v_bad ->> v_try.faculty)::int >= 10;
    exit when clock_timestamp() > v_began + case when v_passed > 0 and v_done <> '{}' then interval '2 seconds' else interval '5 seconds' end;
    select t.tried, t.sqlstate_, t.message into v_tried, v_state, v_words from animus.try_item(v_try.id, p_daemon_id, p_faculties, v_now) t;
    continue when not v_tried or v_state is not null and animus.error_reach(v_state) = 'nothing';
    if v_state is null then
      v_passed := v_passed + 1;
      if v_try.faculty <> all (v_good) then v_good := v_good || v_try.faculty; end if;
      v_bad := v_bad - v_try.faculty;
    elsif v_try.faculty <> all (v_good) then
      v_bad := v_bad || jsonb_build_object(v_try.faculty, coalesce((v_bad ->> v_try.faculty)::int, 0) + 1);
    end if;
    v_done := v_done || jsonb_build_object('id', v_try.id, 'faculty', v_try.faculty, 'state', v_state, 'message', v_words);
  end loop;

  v_found := array(select d from unnest(v_done) d where d ->> 'state' is not null);
  if v_found = '{}' then return; end if;
  if v_passed = 0 and (cardinality(v_found) = 1 and animus.error_reach(v_found[1] ->> 'state') = 'everything'
                       or cardinality(v_found) > 1 and (select count(distinct f ->> 'state') from unnest(v_found) f) = 1) then
    return query select 'everything', null::text, null::uuid, v_found[1] ->> 'message', null::int, null::timestamptz;
    return;
  end if;
  v_heads := (
    select coalesce(jsonb_object_agg(g.faculty, to_jsonb(g)), '{}') from (
      select d ->> 'faculty' as faculty, min(d ->> 'state') as state, min(d ->> 'message') as message from unnest(v_done) d group by 1
      having count(distinct d ->> 'id') > 1 and count(d ->> 'state') = count(*) and count(distinct d ->> 'state') = 1) g);
  return query
    select case when n.work_item_id is null then 'faculty' else 'item' end, n.* from animus.note_faults(
      array(select e.value from jsonb_each(v_heads) e where v_passed > 0) || array(select f from unnest(v_found) f where v_passed = 0 or not v_heads ? (f ->> 'faculty'))) n;
end $$;
