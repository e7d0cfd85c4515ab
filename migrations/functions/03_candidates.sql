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

-- Returns whether another daemon, seen within a minute, has a free slot for items of a faculty.
-- Locks: none. Raises: nothing.
create or replace function animus.another_has_room(p_daemon_id uuid, p_faculty text, p_now timestamptz) returns boolean
language sql stable as $$
  select exists (
    select from animus.daemons d
     where d.id <> p_daemon_id and not d.saturated and d.stopped_at is null and d.ending_at is null and d.seen_at > p_now - interval '1 minute'
       and d.faculties ? p_faculty and not d.faculties -> p_faculty ?| array['held', 'no_sandbox'])
$$;

drop function if exists animus.claim_candidates(jsonb, int, uuid[], timestamptz);
drop function if exists animus.claim_candidates(uuid, jsonb, int, uuid[], timestamptz);
drop function if exists animus.candidates_ahead(uuid, jsonb, int, int, timestamptz);
drop function if exists animus.candidates_ahead(uuid, jsonb, int, int, timestamptz, uuid[]);
-- The second step of a claim: chooses the heads of every faculty with room, by priority, then fewest running, then age; null when there are none. Behind the first
-- p_limit, which get a slot, it chooses up to p_ahead of the faculties with "ahead" (of one that "yields" none while another daemon has room for it), in the same order, and stops at an item of any other faculty: that one is
-- next in turn and needs a slot. p_without: items that are left out.
-- Locks: none. Raises: nothing.
create or replace function animus.claim_choose(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_ahead int, p_without uuid[], p_now timestamptz) returns uuid[]
language plpgsql as $$
begin
  return (
    with ordered as (
      select h.id, f.name, f.ahead, row_number() over (order by h.priority desc, running.n + h.nth, h.id) as place
        from (select e.key as name, e.value as options,
                     case when not e.value ? 'ahead' or e.value ? 'yields' and animus.another_has_room(p_daemon_id, e.key, p_now) then 0
                          else (e.value ->> 'ahead')::int end as ahead from jsonb_each(p_faculties) e) f
        cross join lateral (select count(*)::int as n from animus.work_items r where r.faculty = f.name and r.state in ('claimed', 'running')) running
        cross join lateral (
          select q.id, q.priority, row_number() over (order by q.priority desc, q.id) as nth
            from (select w.id, w.priority from animus.work_items w
                   where w.faculty = f.name and w.state = 'queued' and not w.key_blocked and w.suspect_of is null and w.id <> all (p_without)
                     and animus.may_be_claimed(w, f.options, p_daemon_id, w.updated_at, p_now)
                   order by w.priority desc, w.id
                   limit greatest(0, least(p_limit + case when p_ahead > 0 then greatest(f.ahead, 1) else 0 end, (f.options ->> 'max')::int - running.n))) q) h
       where not exists (select from animus.pauses p where p.faculty in (f.name, '*') and (p.until is null or p.until > p_now))),
    behind as (
      select o.id, o.place, o.ahead, row_number() over (partition by o.name order by o.place) as nth, bool_or(o.ahead = 0) over (order by o.place) as passes
        from ordered o where p_ahead > 0 and o.place > p_limit)
    select array_agg(c.id order by c.place) from (
      select o.id, o.place from ordered o where o.place <= p_limit
      union all
      (select b.id, b.place from behind b where not b.passes and b.nth <= b.ahead order by b.place limit p_ahead)) c);
end $$;
