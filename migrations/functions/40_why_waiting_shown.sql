-- What why_waiting says beside the reasons, and the views and counts that show it.

-- Returns since when an item is queued.
-- Locks: none. Raises: nothing.
create or replace function animus.queued_at(p_lease_token bigint, p_state text, p_created_at timestamptz, p_run_at timestamptz, p_updated_at timestamptz) returns timestamptz
language sql immutable parallel safe
return case when p_lease_token is null then greatest(p_created_at, p_run_at) when p_state = 'scheduled' then p_run_at else p_updated_at end;

-- Returns whether nothing of its faculty and of the daemons stands in the way of a queued item: a daemon that serves the faculty has room, and no pause, fault or
-- limit concerns it. False where that takes more than a look: why_waiting knows then.
-- Locks: none. Raises: nothing.
create or replace function animus.may_go_on(p_id uuid, p_faculty text, p_now timestamptz) returns boolean
language plpgsql stable as $$
begin
  if exists (select from animus.pauses p where p.faculty in (p_faculty, '*'))
     or exists (select from animus.claim_faults c where c.work_item_id = p_id) or exists (select from animus.faculty_faults x where x.faculty = p_faculty) then
    return false;
  end if;
  return coalesce((
    select bool_or(f.options #> '{held,until}' is null and d.makes_room_at is null
                   and not exists (select from animus.work_items s where s.suspect_of is not null and s.state in ('claimed', 'running') and s.lease_owner = d.id)
                   and (select count(*) from animus.work_items r where r.state in ('claimed', 'running') and r.lease_owner = d.id) < d.max_concurrent)
       and coalesce((select count(*) from animus.work_items r where r.faculty = p_faculty and r.state in ('claimed', 'running')) < max((f.options ->> 'max')::int), true)
      from animus.daemons d cross join lateral (select d.faculties -> p_faculty) f (options)
     where d.stopped_at is null and d.seen_at > p_now - interval '1 minute' and f.options is not null), false);
end $$;

-- Returns those of the items that the actor may see, at most 20, in order.
-- Locks: none. Raises: nothing.
create or replace function animus.shown_among(p_ids uuid[]) returns uuid[]
language plpgsql stable as $$
begin
  return array(select t.id from unnest(p_ids) with ordinality t (id, n) where animus.shown_work(t.id) is not null order by t.n limit 20);
end $$;

-- Returns the item that has a concurrency key or, while it is offered, the one that may take it; null if there is none.
-- Locks: none. Raises: nothing.
create or replace function animus.holder_of_key(p_key text) returns uuid
language plpgsql stable as $$
begin
  return coalesce(
    (select w.id from animus.work_items w where w.concurrency_key = p_key and w.state in ('claimed', 'running')),
    (select w.id from animus.work_items w where w.concurrency_key = p_key and w.state = 'queued' and not w.key_blocked order by w.priority desc, w.id limit 1));
end $$;

-- Returns whether a daemon leaves an item to the host that has its directory, or that of the answer before it, as a claim does.
-- Locks: none. Raises: nothing.
create or replace function animus.left_to_host(p_id uuid, p_daemon_id uuid, p_options jsonb, p_now timestamptz) returns boolean
language plpgsql stable as $$
declare
  v_since constant timestamptz := p_now - animus.host_grace(p_options);
begin
  return exists (
    select from animus.work_items w
     where w.id = p_id and w.updated_at >= v_since
       and case when w.lease_token is not null then animus.left_to_its_host(w.id, p_daemon_id, v_since)
                else w.source = 'chat' and animus.left_to_host_before(w.id, p_daemon_id, v_since) end);
end $$;

-- Returns the message whose answer has to end before an item may answer its own: the nearest one before it on its branch that is not answered.
-- Locks: none. Raises: nothing.
create or replace function animus.message_before(p_item uuid, out number int, out item uuid)
language plpgsql stable as $$
declare
  v_own animus.chat_messages;
begin
  if p_item is null then return; end if;
  select * into v_own from animus.chat_messages m where m.work_item_id = p_item and m.role = 'user' and not m.told;
  if not found then return; end if;
  -- Step by step: what comes before an item that waits is mostly the message just before it.
  with recursive line as (
    select m.id, m.after_id, m.number, m.role, m.told, m.work_item_id from animus.chat_messages m where m.id = v_own.after_id
    union all
    select m.id, m.after_id, m.number, m.role, m.told, m.work_item_id from line l join animus.chat_messages m on m.id = l.after_id
     where not exists (select from animus.work_items w where w.id = l.work_item_id and w.resolved_at is null and l.role = 'user' and not l.told))
  select l.number, w.id into message_before.number, message_before.item
    from line l join animus.work_items w on w.id = l.work_item_id and w.resolved_at is null and l.role = 'user' and not l.told order by l.id desc limit 1;
end $$;

-- What waits of what the actor may see, and why.
create or replace view animus.waiting_work with (security_barrier) as
  select w.id as work_item_id, w.faculty, w.state, y.reason, y.why, y.ends, y.since, y.until, y.who, y.work_items
    from animus.work_items w cross join lateral animus.why_waiting(array[w.id]) y
   where (w.state = 'queued' and not w.key_blocked or w.state = 'queued' and w.key_blocked or w.state = 'scheduled' or w.state = 'waiting' or w.state in ('claimed', 'running'))
     and (w.submitted_by = (select animus.actor()) or (select animus.sees_all()) or w.root_id in (select c.work_item_id from animus.own_answers c));

-- Returns the faculties that running daemons serve, in order.
-- Locks: none. Raises: nothing.
create or replace function animus.served_faculties() returns text[]
language plpgsql stable as $$
begin
  return array(select distinct f.name from animus.daemons d cross join lateral jsonb_object_keys(d.faculties) f (name)
                where d.stopped_at is null and d.seen_at > animus.now() - interval '1 minute' order by f.name);
end $$;

-- Returns what the answer to a submission says beside the item: the row of why_waiting, null if it has none, and, where a person acts, the faculties that
-- running daemons serve. Volatile: it sees an item that the statement which calls it has inserted.
-- Locks: none. Raises: nothing.
create or replace function animus.after_submission(
  p_id uuid, out reason text, out why text, out ends text, out since timestamptz, out until timestamptz, out who text, out work_items uuid[], out served text[])
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
begin
  select y.reason, y.why, y.ends, y.since, y.until, y.who, y.work_items into reason, why, ends, since, until, who, work_items
    from animus.why_waiting(array[p_id]) y;
  if animus.person_acts() then served := animus.served_faculties(); end if;
end $$;

-- Returns how much work has been due for a minute, could be claimed, and has not been: of the first three of each faculty and those whose
-- time came first; with one of it, and whether another transaction has locked its row. No row: there is none. p_faculties: null for all that live daemons serve.
-- Locks: the row of that item for a moment, without waiting. Raises: nothing.
create or replace function animus.unclaimed_work(p_faculties text[] default null)
returns table (items int, work_item_id uuid, since timestamptz, locked boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off as $$
-- Callers: reader, operator, daemon.
declare
  v_now constant timestamptz := animus.now();
  v_ids uuid[];
begin
  if p_faculties is null then
    p_faculties := animus.served_faculties();
  end if;
  v_ids := array(
    select q.id from unnest(p_faculties) f (name) cross join lateral (
      select w.id from animus.work_items w where w.faculty = f.name and w.state = 'queued' and not w.key_blocked order by w.priority desc, w.id limit 3) q
    union all
    (select w.id from animus.work_items w where w.state = 'scheduled' and w.run_at < v_now - interval '1 minute' and w.faculty = any (p_faculties) order by w.run_at limit 3));
  select count(*)::int, (array_agg(y.work_item_id order by y.since, y.work_item_id))[1], min(y.since) into items, work_item_id, since
    from animus.why_waiting(v_ids) y where y.reason = 'next' and y.since < v_now - interval '1 minute';
  if items = 0 then return; end if;
  locked := false;
  -- Nothing can be locked there.
  if current_setting('transaction_read_only') = 'off' then
    begin
      perform from animus.work_items w where w.id = work_item_id for no key update skip locked;
      locked := not found;
      -- Somebody who asks must not keep it from being claimed.
      raise exception using errcode = 'WA0FT', message = 'undo';
    exception when sqlstate 'WA0FT' then null;
    end;
  end if;
  return next;
end $$;

-- Returns what waits for what, as `animus status` shows it, by faculty, state and reason: of the items that are first in their queues, and of the oldest that
-- are scheduled or waiting, 50 of each at most.
-- Locks: none. Raises: nothing.
create or replace function animus.waiting_status() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off set enable_bitmapscan = off as $$
-- Callers: reader, operator, daemon.
declare
  v_ids uuid[];
begin
  with recursive faculties as (
    (select w.faculty, 1 as n from animus.work_items w where w.state = 'queued' and not w.key_blocked order by w.faculty limit 1)
    union all
    select (select w.faculty from animus.work_items w where w.state = 'queued' and not w.key_blocked and w.faculty > f.faculty order by w.faculty limit 1), f.n + 1
      from faculties f where f.faculty is not null and f.n < 50)
  select array_agg(i.id) into v_ids from (
    select q.id from faculties f cross join lateral (
      select w.id from animus.work_items w where w.faculty = f.faculty and w.state = 'queued' and not w.key_blocked order by w.priority desc, w.id limit 3) q
    union all (select w.id from animus.work_items w where w.state = 'queued' and w.key_blocked limit 50)
    union all (select w.id from animus.work_items w where w.state = 'scheduled' order by w.run_at limit 50)
    union all (select w.id from animus.work_items w where w.state = 'waiting' order by w.id limit 50)) i;
  -- What follows takes 10 ms in a new session.
  if v_ids is null then return jsonb_build_object('waiting', '[]'::jsonb); end if;
  return jsonb_build_object('waiting', (
    select coalesce(jsonb_agg(jsonb_build_object('faculty', g.faculty, 'state', g.state, 'reason', g.reason, 'items', g.items, 'work_item_id', g.first, 'why', g.why, 'ends', g.ends,
             'since', g.since, 'until', g.until) order by g.since), '[]')
      from (select w.faculty, w.state, y.reason, count(*) as items, (array_agg(w.id order by y.since, w.id))[1] as first, (array_agg(y.why order by y.since, w.id))[1] as why,
                   (array_agg(y.ends order by y.since, w.id))[1] as ends, min(y.since) as since, min(y.until) as until
              from animus.why_waiting(v_ids) y join animus.work_items w on w.id = y.work_item_id group by w.faculty, w.state, y.reason) g));
end $$;
