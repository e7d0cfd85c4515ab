-- Which items a claim takes: the choice among what is queued, and for whom.

-- Returns how long a focus is reserved for the host that has its directory; default two minutes.
-- Locks: none. Raises: nothing.
create or replace function animus.host_grace(p_options jsonb) returns interval
language sql immutable parallel safe as $$
  select coalesce((p_options ->> 'host_grace_seconds')::float8, 120) * interval '1 second'
$$;

-- Returns true for an item whose focus has its own directory on another host where a daemon has been seen since then. For a
-- faculty with a workspace the directory contains nothing that another host would need.
-- Locks: none. Raises: nothing.
create or replace function animus.left_to_its_host(p_id uuid, p_daemon_id uuid, p_since timestamptz) returns boolean
language sql stable as $$
  select exists (
    select from animus.foci f left join animus.focus_settings s on s.id = f.settings_id
     where f.work_item_id = p_id and f.ended_as is null and coalesce(f.faculty_snapshot, s.faculty_snapshot) ->> 'workspace' is null
       and f.host is distinct from (select d.host from animus.daemons d where d.id = p_daemon_id)
       and exists (select from animus.daemons d where d.host = f.host and coalesce(d.stopped_at, d.seen_at) > p_since))
$$;

-- Returns true for an item that answers a message, if the newest answer before it on its branch had its directory, which all answers of a conversation
-- share, on another host where a daemon has been seen since then.
-- Locks: none. Raises: nothing.
create or replace function animus.left_to_host_before(p_id uuid, p_daemon_id uuid, p_since timestamptz) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from animus.chat_messages m cross join lateral animus.focus_before(m.after_id) b
      join animus.foci f on f.id = b.focus left join animus.focus_settings s on s.id = f.settings_id
     where m.work_item_id = p_id and m.role = 'user' and not m.told and coalesce(f.faculty_snapshot, s.faculty_snapshot) ->> 'workspace' is null
       and f.host is distinct from (select d.host from animus.daemons d where d.id = p_daemon_id)
       and exists (select from animus.daemons d where d.host = f.host and coalesce(d.stopped_at, d.seen_at) > p_since));
end $$;

-- For a claim of the previous version that was running when its steps were replaced.
-- Locks: as the function below. Raises: nothing.
create or replace function animus.claim_heads(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_now timestamptz, p_expires_at timestamptz)
returns uuid[]
language plpgsql as $$
begin
  return animus.claim_heads(p_daemon_id, p_faculties, p_limit, p_now, p_expires_at, 0);
end $$;

-- Claims up to p_limit queued items, and in the first round p_ahead more. Heads that cannot be claimed are skipped (their key is busy,
-- which removes them from the index, or they are locked), and another round looks behind them. What claims leave out (find_faults) is skipped, too.
-- Locks: animus.claim_turn; the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.claim_heads(
  p_daemon_id uuid, p_faculties jsonb, p_limit int, p_now timestamptz, p_expires_at timestamptz, p_ahead int) returns uuid[]
language plpgsql as $$
declare
  v_claimed uuid[] := '{}';
  v_locked  uuid[] := animus.faulty_items(p_now);
  v_heads   uuid[];
  v_round   record;
begin
  lock table animus.claim_turn in share update exclusive mode;  -- as in offer_freed_keys
  while cardinality(v_claimed) < p_limit + p_ahead loop
    if p_ahead > 0 then
      v_heads := animus.candidates_ahead(p_daemon_id, p_faculties, p_limit, p_ahead, p_now, v_locked);
    else
      v_heads := animus.claim_candidates(p_daemon_id, p_faculties, p_limit - cardinality(v_claimed), v_locked, p_now);
    end if;
    p_ahead := 0;
    exit when v_heads is null;
    select * into v_round from animus.claim_these(v_heads, p_daemon_id, p_faculties, p_now, p_expires_at);
    v_claimed := v_claimed || v_round.claimed;
    exit when cardinality(v_round.claimed) = cardinality(v_heads);
    v_locked := v_locked || array(select unnest(v_heads) except select unnest(v_round.claimed) except select unnest(v_round.blocked));
  end loop;
  return v_claimed;
end $$;

drop function if exists animus.claim_candidates(jsonb, int, uuid[], timestamptz);
-- Chooses the heads of every faculty with room, by priority, then fewest running, then age; null when there are none.
-- Locks: none. Raises: nothing.
create or replace function animus.claim_candidates(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_without uuid[], p_now timestamptz) returns uuid[]
language plpgsql as $$
declare
  v_ids uuid[];
begin
  select array_agg(candidate.id order by candidate.place) into v_ids from (
    select h.id, row_number() over (order by h.priority desc, running.n + h.nth, h.id) as place
      from jsonb_each(p_faculties) f (name, options)
      cross join lateral (select count(*)::int as n from animus.work_items r where r.faculty = f.name and r.state in ('claimed', 'running')) running
      cross join lateral (
        select q.id, q.priority, row_number() over (order by q.priority desc, q.id) as nth
          from (select w.id, w.priority from animus.work_items w
                 where w.faculty = f.name and w.state = 'queued' and not w.key_blocked and w.suspect_of is null and w.id <> all (p_without)
                   -- Only an item that was claimed before can have a directory somewhere: a first claim costs nothing
                   -- here.
                   and (w.lease_token is null or f.options ? 'batches' or not animus.has_turn_under_way(w.id))
                   and (f.options ? 'budgets' or not animus.has_budget(w.id, w.faculty))
                   and (w.lease_token is null or w.updated_at < p_now - animus.host_grace(f.options)
                        or not animus.left_to_its_host(w.id, p_daemon_id, p_now - animus.host_grace(f.options)))
                   and (w.source is distinct from 'chat' or w.lease_token is not null or w.updated_at < p_now - animus.host_grace(f.options)
                        or not animus.left_to_host_before(w.id, p_daemon_id, p_now - animus.host_grace(f.options)))
                 order by w.priority desc, w.id
                 limit greatest(0, least(p_limit, (f.options ->> 'max')::int - running.n))) q) h
     where not exists (select from animus.pauses p where p.faculty in (f.name, '*') and (p.until is null or p.until > p_now))
     order by place
     limit p_limit) candidate;
  return v_ids;
end $$;

-- Chooses heads as claim_candidates does, and behind the first p_limit, which get a slot, up to p_ahead of the faculties with "ahead", in the
-- same order. It stops at an item of any other faculty: that one is next in turn and needs a slot.
-- Locks: none. Raises: nothing.
drop function if exists animus.candidates_ahead(uuid, jsonb, int, int, timestamptz);
create or replace function animus.candidates_ahead(
  p_daemon_id uuid, p_faculties jsonb, p_limit int, p_ahead int, p_now timestamptz, p_without uuid[] default '{}') returns uuid[]
language plpgsql as $$
begin
  return (
    with ordered as (
      select h.id, f.name, f.ahead, row_number() over (order by h.priority desc, running.n + h.nth, h.id) as place
        from (select e.key as name, e.value as options, coalesce((e.value ->> 'ahead')::int, 0) as ahead from jsonb_each(p_faculties) e) f
        cross join lateral (select count(*)::int as n from animus.work_items r where r.faculty = f.name and r.state in ('claimed', 'running')) running
        cross join lateral (
          select q.id, q.priority, row_number() over (order by q.priority desc, q.id) as nth
            from (select w.id, w.priority from animus.work_items w
                   where w.faculty = f.name and w.state = 'queued' and not w.key_blocked and w.suspect_of is null and w.id <> all (p_without)
                     and (w.lease_token is null or f.options ? 'batches' or not animus.has_turn_under_way(w.id))
                     and (f.options ? 'budgets' or not animus.has_budget(w.id, w.faculty))
                     and (w.lease_token is null or w.updated_at < p_now - animus.host_grace(f.options)
                          or not animus.left_to_its_host(w.id, p_daemon_id, p_now - animus.host_grace(f.options)))
                     and (w.source is distinct from 'chat' or w.lease_token is not null or w.updated_at < p_now - animus.host_grace(f.options)
                          or not animus.left_to_host_before(w.id, p_daemon_id, p_now - animus.host_grace(f.options)))
                   order by w.priority desc, w.id
                   limit greatest(0, least(p_limit + greatest(f.ahead, 1), (f.options ->> 'max')::int - running.n))) q) h
       where not exists (select from animus.pauses p where p.faculty in (f.name, '*') and (p.until is null or p.until > p_now))),
    behind as (
      select o.id, o.place, o.ahead, row_number() over (partition by o.name order by o.place) as nth, bool_or(o.ahead = 0) over (order by o.place) as passes
        from ordered o where o.place > p_limit)
    select array_agg(c.id order by c.place) from (
      select o.id, o.place from ordered o where o.place <= p_limit
      union all
      (select b.id, b.place from behind b where not b.passes and b.nth <= b.ahead order by b.place limit p_ahead)) c);
end $$;
