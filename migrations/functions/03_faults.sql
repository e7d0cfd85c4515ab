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
  return coalesce((select array_agg(f.key::uuid) from animus.settings s cross join lateral jsonb_each(s.value) f
                    where s.key = 'claim_faults' and (f.value ->> 'until')::timestamptz > p_now), '{}');
end $$;

-- Forgets the faults of items that were claimed now, or that nobody claims any more.
-- Locks: the row of the faults. Raises: nothing.
create or replace function animus.forget_faults(p_claimed uuid[]) returns void
language plpgsql as $$
declare
  v_over text[];
begin
  v_over := array(select f.key from animus.settings s cross join lateral jsonb_object_keys(s.value) f (key)
                   where s.key = 'claim_faults' and (f.key::uuid = any (p_claimed) or not exists (
                     select from animus.work_items w where w.id = f.key::uuid and w.state in ('queued', 'scheduled', 'claimed', 'running', 'waiting'))));
  if v_over = '{}' then return; end if;
  delete from animus.settings where key = 'claim_faults' and value - v_over = '{}';
  update animus.settings set value = value - v_over where key = 'claim_faults';
end $$;

-- Notes that claims, or what goes before them, failed on these items, each with its id, its SQLSTATE as state, and message. They are left out for ten seconds,
-- and each time that they fail again for twice as long, at most an hour. Returns what was noted: a hundred at most, as more come with the next claim.
-- failures: how often it has failed. until: when it is tried again.
-- Locks: the row of the faults. Raises: nothing.
create or replace function animus.note_faults(p_faults jsonb[])
returns table (faculty text, work_item_id uuid, message text, failures int, until timestamptz)
language plpgsql as $$
declare
  v_now    timestamptz := animus.now();
  v_before jsonb;
begin
  insert into animus.settings (key, value) values ('claim_faults', '{}') on conflict (key) do nothing;
  select s.value into v_before from animus.settings s where s.key = 'claim_faults' for update;
  return query
    with fault as materialized (
      select (f ->> 'id')::uuid as id, f ->> 'state' as state, f ->> 'message' as message, coalesce((v_before #>> array[f ->> 'id', 'failures'])::int, 0) + 1 as failures,
             coalesce((v_before #>> array[f ->> 'id', 'since'])::timestamptz, v_now) as since
        from unnest(p_faults[:100]) f),
    delayed as materialized (select f.*, v_now + least(3600, 10 * 2 ^ least(f.failures - 1, 9)) * interval '1 second' as until from fault f),
    kept as (
      update animus.settings s set value = s.value || (
          select jsonb_object_agg(d.id, jsonb_build_object('failures', d.failures, 'since', d.since, 'until', d.until, 'sqlstate', d.state)) from delayed d)
       where s.key = 'claim_faults')
    select w.faculty, d.id, d.message, d.failures, d.until from delayed d join animus.work_items w on w.id = d.id order by d.id;
end $$;

-- Tries what a claim does with one item, and undoes it. Returns the SQLSTATE and the words of the error, or nulls.
-- Locks: animus.claim_turn; while it tries, what a claim locks. Raises: nothing but a time-out or a cancel.
create or replace function animus.try_item(p_id uuid, p_daemon_id uuid, p_faculties jsonb, p_now timestamptz, out sqlstate_ text, out message text)
language plpgsql as $$
declare
  v_item record;
begin
  begin
    select w.state, w.key_blocked, w.suspect_of, w.run_at, w.lease_expires_at into v_item from animus.work_items w where w.id = p_id for no key update skip locked;
    if found then
      if v_item.state in ('claimed', 'running') then
        if v_item.lease_expires_at < p_now then perform animus.reclaim_item(p_id, p_daemon_id, p_faculties, p_now, p_now + interval '1 minute'); end if;
      else
        if v_item.state = 'scheduled' then update animus.work_items set state = 'queued' where id = p_id; end if;
        if v_item.suspect_of is not null then update animus.work_items set suspect_of = null, alone_until = null where id = p_id; end if;
        if v_item.key_blocked then update animus.work_items set key_blocked = false where id = p_id; end if;
        perform animus.claim_these(array[p_id], p_daemon_id, p_faculties, p_now, p_now + interval '1 minute');
      end if;
      -- The row is sent to the daemon, and all of it has to be readable. What applications check at the commit is checked now.
      perform length((select w::text from animus.work_items w where w.id = p_id));
      set constraints all immediate;
    end if;
    raise exception using errcode = 'WA0FT', message = 'undo';
  exception
    when sqlstate 'WA0FT' then return;
    when others then get stacked diagnostics sqlstate_ = returned_sqlstate, message = message_text;
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
     where t.id <> all (p_without));
end $$;

-- Finds out what made a claim fail: tries everything that it would touch by itself, and undoes that. Called by a daemon after a claim that failed, before
-- it claims again. p_sqlstate: of that error. p_limit: as in claim_ready_work, with what it would have claimed ahead.
-- reach 'item': claims leave this item out for a while (note_faults). 'faculty': what is queued of it cannot even be
-- chosen. 'everything': all that was tried failed alike, and none of it is to blame. No row: the error has passed, or it is one that passes by itself.
-- Locks: animus.claim_turn; the row of the faults; while it tries, what a claim locks. Raises: nothing but a time-out or a cancel.
create or replace function animus.find_faults(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_sqlstate text)
returns table (reach text, faculty text, work_item_id uuid, message text, failures int, until timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
  v_now     timestamptz := animus.now();
  v_without uuid[];
  v_ids     uuid[];
  v_name    text;
  v_options jsonb;
  v_state   text;
  v_words   text;
  v_id      uuid;
  v_tried   int := 0;
  v_found   jsonb[] := '{}';
  v_reach   text;
begin
  if animus.error_reach(p_sqlstate) = 'nothing' then return; end if;
  lock table animus.claim_turn in share update exclusive mode;  -- as in claim_round
  v_without := animus.faulty_items(v_now);
  v_ids := animus.touched_items(p_faculties, v_without, v_now);
  for v_name, v_options in select e.key, e.value from jsonb_each(p_faculties) e loop
    begin
      v_ids := v_ids || coalesce(animus.claim_candidates(p_daemon_id, jsonb_build_object(v_name, v_options), p_limit, v_without, v_now), '{}');
      v_tried := v_tried + 1;
    exception when others then
      get stacked diagnostics v_state = returned_sqlstate, v_words = message_text;
      if animus.error_reach(v_state) <> 'nothing' then
        v_found := v_found || jsonb_build_object('reach', 'faculty', 'faculty', v_name, 'state', v_state, 'message', v_words);
      end if;
    end;
  end loop;
  if v_found <> '{}' and v_tried = 0 and cardinality(v_found) > 1 then
    return query select 'everything', null::text, null::uuid, v_found[1] ->> 'message', null::int, null::timestamptz;
    return;
  end if;
  return query select 'faculty', f ->> 'faculty', null::uuid, f ->> 'message', null::int, null::timestamptz from unnest(v_found) f;

  v_tried := 0;
  v_found := '{}';
  for v_id in select distinct i from unnest(v_ids) i loop
    select t.sqlstate_, t.message into v_state, v_words from animus.try_item(v_id, p_daemon_id, p_faculties, v_now) t;
    continue when animus.error_reach(v_state) = 'nothing';
    v_tried := v_tried + 1;
    if v_state is not null then v_found := v_found || jsonb_build_object('id', v_id, 'state', v_state, 'message', v_words); end if;
  end loop;
  if v_found = '{}' then return; end if;
  v_reach := case when cardinality(v_found) < v_tried then 'item'
                  when v_tried = 1 then animus.error_reach(v_found[1] ->> 'state')
                  when (select count(distinct f ->> 'state') from unnest(v_found) f) = 1 then 'everything'
                  else 'item' end;
  if v_reach = 'everything' then
    return query select v_reach, null::text, null::uuid, v_found[1] ->> 'message', null::int, null::timestamptz;
    return;
  end if;
  return query select v_reach, n.faculty, n.work_item_id, n.message, n.failures, n.until from animus.note_faults(v_found) n;
end $$;
