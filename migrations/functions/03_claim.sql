-- Claiming: one short transaction under one lock, so that faculty maxima and concurrency keys are exact. A claim never
-- waits for a row lock: locked rows are left for the next claim, so no open transaction can stop the queue.

-- Claims up to p_limit items for a daemon, best first, with fresh lease tokens. p_faculties: {"name": {"max": int, "max_attempts": int,
-- "dedup_until": "resolved" | "claimed", "host_grace_seconds": number, "batches": true, "ahead": int}} — the faculties this daemon can
-- run; other work is ignored. Without "batches", items with a turn under way in a batch are ignored, too.
-- p_limit: how many more it has room for. p_ahead: claims up to so many more, which wait in the daemon for a free slot, of each faculty at
-- most its "ahead"; none when the next in turn is an item of a faculty without "ahead", which needs a slot. p_waiting: faculties of which
-- items wait in the daemon.
-- Returns the claimed items with fresh tokens, reclaimed ones first, then in the order of their claim; one row without an item if there
-- are none. Also notes whether the daemon is full now, so that inserts need not wake it. paused: those of p_waiting that are paused.
-- settled = false: the daemon was full and is not any more, and a transaction is open that saw it full; call await_skipped until it
-- returns true, then claim again. p_first: this is the first claim of the daemon, so that a transaction may not have seen it at all.
-- Locks: as claim_round. Raises: 57PA1.
create or replace function animus.claim_ready_work(
  p_daemon_id uuid, p_faculties jsonb, p_limit int, p_lease interval, p_first boolean, p_ahead int default 0, p_waiting text[] default '{}')
returns table (settled boolean, paused text[], work animus.work_items)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_paused text[] := '{}';
  v_round  record;
begin
  if p_waiting <> '{}' then
    v_paused := array(select w from unnest(p_waiting) w
                       where exists (select from animus.pauses p where p.faculty in (w, '*') and (p.until is null or p.until > animus.now())));
  end if;
  if p_limit + p_ahead < 1 then return query select true, v_paused, null::animus.work_items; return; end if;
  select * into v_round from animus.claim_round(p_daemon_id, p_faculties, p_limit, p_lease, p_first, p_ahead);
  if v_round.claimed = '{}' then return query select v_round.settled, v_paused, null::animus.work_items; return; end if;
  return query select v_round.settled, v_paused, w from animus.claimed_work(v_round.claimed) w;
end $$;

-- Claims as claim_ready_work does, and returns the items alone. A daemon that was full and gets less than it asked for must claim again
-- after a moment: an insert may have seen it full.
-- Locks: as claim_round. Raises: 57PA1.
create or replace function animus.claim_work(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_lease interval)
returns setof animus.work_items
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_claimed uuid[];
begin
  if p_limit < 1 then return; end if;
  v_claimed := (animus.claim_round(p_daemon_id, p_faculties, p_limit, p_lease, false, 0)).claimed;
  if cardinality(v_claimed) > 0 then return query select * from animus.claimed_work(v_claimed); end if;
end $$;

-- Claims items and notes whether the daemon is full, as described at claim_ready_work. The settings of its callers make the plans
-- independent of statistics: whatever the tables hold, a claim is a handful of index probes.
-- Locks: animus.claim_turn, so that claims take turns; the rows of the items, and skips those that others have locked; skip_key, without
-- waiting, when a full daemon becomes free. Raises: 57PA1.
create or replace function animus.claim_round(
  p_daemon_id uuid, p_faculties jsonb, p_limit int, p_lease interval, p_first boolean, p_ahead int, out claimed uuid[], out settled boolean)
language plpgsql as $$
declare
  v_full   boolean;
  v_unseen boolean;
  v_before text;
begin
  -- Claims are serialised. The lock is held for the length of a claim; inserts, heartbeats and completions never take it. It is on a
  -- table of ours, which no other role may lock. This mode needs no transaction id and does not affect the fast path of other locks.
  lock table animus.claim_turn in share update exclusive mode;
  settled := true;
  v_full := (select saturated from animus.daemons where id = p_daemon_id);
  v_unseen := p_first or coalesce(v_full, false);
  if v_unseen then v_before := pg_current_snapshot(); end if;
  claimed := animus.claim_pass(p_daemon_id, p_faculties, p_limit, p_lease, true, p_ahead);
  if v_unseen and cardinality(claimed) < p_limit then
    -- See wake_daemons. The queue need not be read again if no transaction has ended meanwhile.
    settled := pg_try_advisory_xact_lock(animus.skip_key());
    if settled and pg_current_snapshot()::text <> v_before then
      claimed := claimed || animus.claim_pass(p_daemon_id, p_faculties, p_limit - cardinality(claimed), p_lease, false, p_ahead);
    end if;
  end if;
  if v_full <> (cardinality(claimed) >= p_limit) then
    update animus.daemons set saturated = not v_full where id = p_daemon_id;
  end if;
end $$;

-- Looks through the queue once and claims up to p_limit items, and p_ahead more. p_expired: takes over expired leases, too.
-- Locks: the rows of the items, and skips those that others have locked. Raises: 57PA1.
create or replace function animus.claim_pass(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_lease interval, p_expired boolean, p_ahead int) returns uuid[]
language plpgsql as $$
declare
  v_now     timestamptz := animus.now();
  v_has     record;
  v_claimed uuid[] := '{}';
begin
  -- One probe covers the rare cases: each of these steps costs as much as the claim itself, even when it finds nothing.
  select exists (select from animus.work_items where state = 'scheduled' and run_at <= v_now) as due,
         exists (select from animus.freed_keys) as freed,
         p_expired and exists (select from animus.work_items where state in ('claimed', 'running') and lease_expires_at < v_now) as expired into v_has;
  if v_has.due then perform animus.promote_due(v_now, 1000); end if;
  if v_has.freed then perform animus.offer_freed_keys(); end if;
  if v_has.expired then v_claimed := animus.reclaim_expired(p_daemon_id, p_faculties, p_limit, v_now, v_now + p_lease); end if;
  -- Nothing is done under a claim before a later commit, which waits for the disk and so for this one, too: start_focus, or an end. A
  -- crash of the server in between takes the claim back, and the daemon's token then holds nothing. Ends by reclaim do wait.
  if p_expired and not v_has.expired then perform set_config('synchronous_commit', 'off', true); end if;
  return v_claimed || animus.claim_heads(p_daemon_id, p_faculties, p_limit - cardinality(v_claimed), v_now, v_now + p_lease, p_ahead);
end $$;

-- Returns claimed items to the daemon, in the order of the ids.
-- Locks: none. Raises: nothing.
create or replace function animus.claimed_work(p_ids uuid[]) returns setof animus.work_items
language plpgsql stable as $$
begin
  -- A whole row costs reading what may be large: only where something is.
  if exists (select from animus.work_items w where w.id = any (p_ids) and (octet_length(w.description) > 16777216
               or pg_column_size(w.params) > 65536 or pg_column_size(w.trigger_info) > 65536)) then
    return query select r.* from unnest(p_ids) with ordinality as c (id, nth) join animus.work_items w on w.id = c.id,
      lateral animus.readable_work(w) r order by c.nth;
  else
    return query select w.* from unnest(p_ids) with ordinality as c (id, nth) join animus.work_items w on w.id = c.id order by c.nth;
  end if;
end $$;

-- Returns work that is claimed for a daemon but unknown to it, because the response to its claim was lost. Renews the lease; the
-- daemon runs the work or releases it. p_known: the items it knows. Called by a daemon whose claim failed, before it claims again.
-- Locks: the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.take_own_claims(p_daemon_id uuid, p_known uuid[], p_lease interval) returns setof animus.work_items
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_ids uuid[];
begin
  v_ids := array(select w.id from animus.work_items w where w.state = 'claimed' and w.lease_owner = p_daemon_id and w.id <> all (p_known)
                    for no key update skip locked);
  if v_ids = '{}' then return; end if;
  update animus.work_items set lease_expires_at = animus.now() + p_lease where id = any (v_ids);
  return query select r.* from animus.work_items w, lateral animus.readable_work(w) r where w.id = any (v_ids) order by w.id;
end $$;

-- Puts items that a daemon claimed and did not start back into the queue, as they were; an item whose cancel was requested ends as
-- cancelled. Skips items whose token is lost, that have started, or that another transaction has locked: their lease ends by itself.
-- Locks: the rows of the items, and skips those that others have locked; the rows of what they spawned where they end. Raises: 57PA1.
create or replace function animus.give_back(p_ids uuid[], p_tokens bigint[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off as $$
declare
  v_now  timestamptz := animus.now();
  v_item record;
begin
  for v_item in
    select w.id, w.cancel_requested_at, w.cancel_reason from unnest(p_ids, p_tokens) m (id, token) join animus.work_items w on w.id = m.id
     where w.lease_token = m.token and w.state = 'claimed' order by w.id for no key update of w skip locked
  loop
    if v_item.cancel_requested_at is not null then
      perform animus.end_work(v_item.id, 'cancelled', animus.cancel_error(v_item.cancel_reason), 'cancelled');
    else
      perform animus.requeue(v_item.id, null, v_now, null);
    end if;
  end loop;
end $$;

-- Returns a new fencing token, which was never used before. Tokens grow. The random part covers a crash of the server: a claim
-- does not wait for the disk, so the sequence may repeat a number that a daemon has already received.
-- Locks: none. Raises: nothing.
create or replace function animus.draw_token() returns bigint
language sql volatile as $$ select nextval('animus.lease_tokens') * 1048576 + floor(random() * 1048576)::bigint $$;

-- Moves scheduled items whose time has come into the queue, at most p_limit.
-- Locks: the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.promote_due(p_now timestamptz, p_limit int) returns int
language plpgsql as $$
declare
  v_ids uuid[];
begin
  select array_agg(id) into v_ids from (
    select id from animus.work_items where state = 'scheduled' and run_at <= p_now order by run_at limit p_limit for no key update skip locked) due;
  if v_ids is null then return 0; end if;
  update animus.work_items set state = 'queued' where id = any (v_ids);
  return cardinality(v_ids);
end $$;

-- Passes on the concurrency keys that were given up since the last claim: the best waiting item of each faculty goes back
-- into the claim index. One item per faculty, because a faculty may be paused, full or unknown to every daemon. Locked items
-- keep their note for the next claim.
-- Locks: animus.claim_turn; the notes and the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.offer_freed_keys() returns void
language plpgsql as $$
declare
  v_key text;
begin
  -- Usually already held; not by a claim of the previous version that was running when its steps were replaced.
  lock table animus.claim_turn in share update exclusive mode;
  for v_key in
    with notes as (select f.ctid from animus.freed_keys f limit 1000 for update skip locked),
    taken as (delete from animus.freed_keys f using notes n where f.ctid = n.ctid returning f.concurrency_key)
    select distinct concurrency_key from taken
  loop
    continue when animus.key_is_held(v_key);  -- its end will leave another note
    if not animus.offer_key(v_key) then
      insert into animus.freed_keys (concurrency_key) values (v_key);
    end if;
  end loop;
end $$;

-- Returns whether an item with this concurrency key is claimed or running.
-- Locks: none. Raises: nothing.
create or replace function animus.key_is_held(p_key text) returns boolean
language sql stable as $$
  select exists (select from animus.work_items where concurrency_key = p_key and state in ('claimed', 'running'))
$$;

-- Offers a free key to the best waiting item of each faculty; false when one of them was locked and has to be offered later.
-- Locks: the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.offer_key(p_key text) returns boolean
language plpgsql as $$
declare
  v_faculty text := '';
  v_id      uuid;
  v_all     boolean := true;
begin
  loop
    select faculty into v_faculty from animus.work_items
     where concurrency_key = p_key and state = 'queued' and key_blocked and faculty > v_faculty order by faculty limit 1;
    exit when not found;
    select id into v_id from animus.work_items
     where concurrency_key = p_key and state = 'queued' and key_blocked and faculty = v_faculty order by priority desc, id limit 1;
    perform from animus.work_items where id = v_id and state = 'queued' for no key update skip locked;
    if found then
      update animus.work_items set key_blocked = false where id = v_id;
    else
      v_all := false;
    end if;
  end loop;
  return v_all;
end $$;

-- Takes over items whose lease has expired. A crash counts as an attempt. If the focus has made progress since the previous crash,
-- the count starts again with this one, so that long work survives any number of deployments. A claim that never began a focus is
-- not an attempt (its response may have been lost), but it is counted: after ten in a row the item is dead.
-- Locks: animus.claim_turn; the rows of the items and of what they spawned, and skips those that others have locked. Raises: 57PA1.
create or replace function animus.reclaim_expired(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_now timestamptz, p_expires_at timestamptz)
returns uuid[]
language plpgsql as $$
declare
  v_item      record;
  v_attempts  int;
  v_crashes   int;
  v_max       int;
  v_unstarted int;
  v_error     jsonb;
  v_reclaimed uuid[] := '{}';
begin
  lock table animus.claim_turn in share update exclusive mode;  -- as in offer_freed_keys
  for v_item in
    select id, faculty, state, attempts, crashes, unstarted_claims, turns, turns_at_claim, max_attempts, cancel_requested_at, cancel_reason
      from animus.work_items
     where state in ('claimed', 'running') and lease_expires_at < p_now and p_faculties ? faculty
       and (cancel_requested_at is not null or p_faculties -> faculty ? 'batches' or not animus.has_turn_under_way(id))
       and (cancel_requested_at is not null or lease_expires_at < p_now - animus.host_grace(p_faculties -> faculty)
            or not animus.left_to_its_host(id, p_daemon_id, p_now - animus.host_grace(p_faculties -> faculty)))
     order by lease_expires_at limit p_limit for no key update skip locked
  loop
    v_max := coalesce((p_faculties -> v_item.faculty ->> 'max_attempts')::int, v_item.max_attempts, 3);
    v_error := null;
    if v_item.state = 'claimed' then
      v_crashes := v_item.crashes;
      v_attempts := v_item.attempts;
      v_unstarted := v_item.unstarted_claims + 1;
      if v_unstarted >= 10 then
        v_error := jsonb_build_object('code', 'work.never_started', 'message',
          format('claimed %s times in a row, and each time the daemon was lost before a focus began', v_unstarted));
      end if;
    else
      v_crashes := case when v_item.turns > v_item.turns_at_claim then 1 else v_item.crashes + 1 end;
      v_attempts := v_item.attempts - v_item.crashes + v_crashes;
      v_unstarted := 0;
      if v_attempts >= v_max then
        v_error := jsonb_build_object('code', 'work.crashed', 'message',
          format('the daemon was lost %s time(s) without a new turn; attempts used up (%s of %s)', v_crashes, v_attempts, v_max));
      end if;
    end if;
    if v_item.cancel_requested_at is not null or v_error is not null then
      continue when not animus.try_lock_open_descendants(v_item.id);
      if v_item.cancel_requested_at is not null then
        perform animus.end_work(v_item.id, 'cancelled', animus.cancel_error(v_item.cancel_reason), 'lost');
      else
        update animus.work_items set attempts = v_attempts, crashes = v_crashes, unstarted_claims = v_unstarted where id = v_item.id;
        perform animus.end_work(v_item.id, 'dead', v_error, 'lost');
      end if;
      continue;
    end if;
    update animus.work_items set state = 'claimed', lease_owner = p_daemon_id, lease_token = animus.draw_token(), lease_expires_at = p_expires_at,
           attempts = v_attempts, crashes = v_crashes, unstarted_claims = v_unstarted, max_attempts = v_max, turns_at_claim = turns where id = v_item.id;
    v_reclaimed := v_reclaimed || v_item.id;
  end loop;
  return v_reclaimed;
end $$;

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

-- For a claim of the previous version that was running when its steps were replaced.
-- Locks: as the function below. Raises: nothing.
create or replace function animus.claim_heads(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_now timestamptz, p_expires_at timestamptz)
returns uuid[]
language plpgsql as $$
begin
  return animus.claim_heads(p_daemon_id, p_faculties, p_limit, p_now, p_expires_at, 0);
end $$;

-- Claims up to p_limit queued items, and in the first round p_ahead more. Heads that cannot be claimed are skipped (their key is busy,
-- which removes them from the index, or they are locked), and another round looks behind them.
-- Locks: animus.claim_turn; the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.claim_heads(
  p_daemon_id uuid, p_faculties jsonb, p_limit int, p_now timestamptz, p_expires_at timestamptz, p_ahead int) returns uuid[]
language plpgsql as $$
declare
  v_claimed uuid[] := '{}';
  v_locked  uuid[] := '{}';
  v_heads   uuid[];
  v_round   record;
begin
  lock table animus.claim_turn in share update exclusive mode;  -- as in offer_freed_keys
  while cardinality(v_claimed) < p_limit + p_ahead loop
    if p_ahead > 0 then
      v_heads := animus.candidates_ahead(p_daemon_id, p_faculties, p_limit, p_ahead, p_now);
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
                 where w.faculty = f.name and w.state = 'queued' and not w.key_blocked and w.id <> all (p_without)
                   -- Only an item that was claimed before can have a directory somewhere: a first claim costs nothing
                   -- here.
                   and (w.lease_token is null or f.options ? 'batches' or not animus.has_turn_under_way(w.id))
                   and (w.lease_token is null or w.updated_at < p_now - animus.host_grace(f.options)
                        or not animus.left_to_its_host(w.id, p_daemon_id, p_now - animus.host_grace(f.options)))
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
create or replace function animus.candidates_ahead(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_ahead int, p_now timestamptz) returns uuid[]
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
                   where w.faculty = f.name and w.state = 'queued' and not w.key_blocked
                     and (w.lease_token is null or f.options ? 'batches' or not animus.has_turn_under_way(w.id))
                     and (w.lease_token is null or w.updated_at < p_now - animus.host_grace(f.options)
                          or not animus.left_to_its_host(w.id, p_daemon_id, p_now - animus.host_grace(f.options)))
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

-- Claims the candidates (best first) that are not locked and whose key is free; flags those whose key is busy.
-- Locks: animus.claim_turn; the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.claim_these(
  p_ids uuid[], p_daemon_id uuid, p_faculties jsonb, p_now timestamptz, p_expires_at timestamptz, out claimed uuid[], out blocked uuid[])
language plpgsql as $$
declare
  v_keyed    boolean;
  v_messages bigint[];
  v_release  boolean;
begin
  lock table animus.claim_turn in share update exclusive mode;  -- as in offer_freed_keys
  blocked := '{}';
  -- The state is checked after locking and not in the condition: a condition that matches the claim index could be planned as a
  -- scan of it.
  with ours as (
    select w.id, w.state, w.key_blocked, w.concurrency_key from animus.work_items w where w.id = any (p_ids) for no key update skip locked)
  select coalesce(array_agg(o.id order by array_position(p_ids, o.id)), '{}'), coalesce(bool_or(o.concurrency_key is not null), false)
    into claimed, v_keyed from ours o where o.state = 'queued' and not o.key_blocked;
  if v_keyed then
    select coalesce(array_agg(j.id order by j.place) filter (where j.free), '{}'), coalesce(array_agg(j.id) filter (where not j.free), '{}')
      into claimed, blocked from (
        select w.id, c.place, w.concurrency_key is null or not animus.key_is_held(w.concurrency_key)
               and row_number() over (partition by w.concurrency_key order by c.place) = 1 as free
          from unnest(claimed) with ordinality as c (id, place) join animus.work_items w on w.id = c.id) j;
    update animus.work_items set key_blocked = true where id = any (blocked);
  end if;
  if claimed = '{}' then return; end if;

  with taken as (
    update animus.work_items w
       set state = 'claimed', lease_owner = p_daemon_id, lease_token = animus.draw_token(), lease_expires_at = p_expires_at,
           max_attempts = coalesce((p_faculties -> w.faculty ->> 'max_attempts')::int, 3), turns_at_claim = w.turns
     where w.id = any (claimed)
    returning w.faculty, w.dedup_key, w.queue_msg_id)
  select array_agg(t.queue_msg_id), bool_or(t.dedup_key is not null and p_faculties -> t.faculty ->> 'dedup_until' = 'claimed')
    into v_messages, v_release from taken t;
  -- Hidden from plain pgmq readers once, for good: the token protects the work, not the visibility time-out.
  update pgmq.q_animus_work m set vt = 'infinity', read_ct = m.read_ct + 1 where m.msg_id = any (v_messages);
  if v_release then
    delete from animus.active_keys k using animus.work_items w
     where w.id = any (claimed) and w.dedup_key is not null and p_faculties -> w.faculty ->> 'dedup_until' = 'claimed'
       and k.faculty = w.faculty and k.dedup_key = w.dedup_key and k.work_item_id = w.id;
  end if;
end $$;
