-- What a claim does first: queues what is due, offers freed keys, and takes back what expired.

-- Moves scheduled items whose time has come into the queue, at most p_limit, without those that claims leave out (find_faults).
-- Locks: the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.promote_due(p_now timestamptz, p_limit int) returns int
language plpgsql as $$
declare
  v_without constant uuid[] := animus.faulty_items(p_now);
  v_out     constant text[] := animus.faulty_faculties(p_now);
  v_ids     uuid[];
begin
  select array_agg(id) into v_ids from (
    select id from animus.work_items where state = 'scheduled' and run_at <= p_now and id <> all (v_without) and faculty <> all (v_out)
     order by run_at limit p_limit for no key update skip locked) due;
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
  -- Usually already held; not by a claim of version 0.1 that was running when its steps were replaced.
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

-- Offers a free key to the best waiting item of each faculty; false when one of them was locked or is left out, and has to be offered later.
-- Locks: the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.offer_key(p_key text) returns boolean
language plpgsql as $$
declare
  v_without constant uuid[] := animus.faulty_items(animus.now());
  v_out     constant text[] := animus.faulty_faculties(animus.now());
  v_faculty text := '';
  v_id      uuid;
  v_all     boolean := true;
begin
  loop
    select faculty into v_faculty from animus.work_items
     where concurrency_key = p_key and state = 'queued' and key_blocked and faculty > v_faculty order by faculty limit 1;
    exit when not found;
    select id into v_id from animus.work_items
     where concurrency_key = p_key and state = 'queued' and key_blocked and faculty = v_faculty and id <> all (v_without) and faculty <> all (v_out)
     order by priority desc, id limit 1;
    if not found then
      -- All that waits here is left out for a while: the key is offered again.
      v_all := false;
      continue;
    end if;
    perform from animus.work_items where id = v_id and state = 'queued' for no key update skip locked;
    if found then
      update animus.work_items set key_blocked = false where id = v_id;
    else
      v_all := false;
    end if;
  end loop;
  return v_all;
end $$;

-- Takes over items whose lease has expired, without those that claims leave out (find_faults).
-- Locks: animus.claim_turn; the rows of the items, of what they spawned and of what waits for these, and skips those that others have locked. Raises: 57PA1.
create or replace function animus.reclaim_expired(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_now timestamptz, p_expires_at timestamptz)
returns uuid[]
language plpgsql as $$
declare
  v_without constant uuid[] := animus.faulty_items(p_now);
  v_id        uuid;
  v_reclaimed uuid[] := '{}';
begin
  lock table animus.claim_turn in share update exclusive mode;  -- as in offer_freed_keys
  for v_id in
    select id from animus.work_items w
     where state in ('claimed', 'running') and lease_expires_at < p_now and p_faculties ? faculty and id <> all (v_without)
       and (cancel_requested_at is not null or animus.may_be_claimed(w, p_faculties -> faculty, p_daemon_id, lease_expires_at, p_now))
     order by lease_expires_at limit p_limit for no key update skip locked
  loop
    if animus.reclaim_item(v_id, p_daemon_id, p_faculties, p_now, p_expires_at) then v_reclaimed := v_reclaimed || v_id; end if;
  end loop;
  return v_reclaimed;
end $$;

-- Takes over an item whose lease has expired; the caller has locked it. Returns false if it was ended, queued or left instead. A crash counts as an attempt. If
-- the focus has made progress since the previous crash, the count starts again with this one, so that long work survives any number of deployments. A claim
-- that never began a focus is not an attempt (its response may have been lost), but it is counted: after ten in a row the item is dead. Where the process of
-- the daemon has ended, none of this counts: lose_item decides.
-- Locks: the rows of what it spawned and of what waits for these, and skips those that others have locked; the row of its daemon. Raises: 57PA1.
create or replace function animus.reclaim_item(p_id uuid, p_daemon_id uuid, p_faculties jsonb, p_now timestamptz, p_expires_at timestamptz) returns boolean
language plpgsql as $$
declare
  v_item      record;
  v_attempts  int;
  v_crashes   int;
  v_max       int;
  v_unstarted int;
  v_error     jsonb;
  v_fate      text;
begin
  select id, faculty, state, attempts, crashes, unstarted_claims, turns, turns_at_claim, max_attempts, cancel_requested_at, cancel_reason, lease_owner, suspect_of
    into v_item from animus.work_items where id = p_id and state in ('claimed', 'running');
  -- The end of another one may have ended it.
  if not found then return false; end if;
  v_max := coalesce((p_faculties -> v_item.faculty ->> 'max_attempts')::int, v_item.max_attempts, 3);
  if v_item.lease_owner <> p_daemon_id and p_faculties -> v_item.faculty ? 'suspects' then
    v_fate := animus.fate_of_daemon(v_item.lease_owner, p_now);
    if v_fate = 'missing' then return false; end if;
    if v_fate = 'ended' then
      perform animus.lose_item(v_item.id, d.id, d.died_with = 1, coalesce(d.stands_since > d.seen_at, false), v_max, null, p_now)
         from animus.daemons d join animus.work_items w on w.id = v_item.id and w.lease_owner = d.id  -- it may have gone back unbegun
        where d.id = v_item.lease_owner;
      return false;
    end if;
  end if;
  if v_item.suspect_of is not null and v_item.cancel_requested_at is null then
    -- It was not proved to be harmless.
    perform animus.requeue(v_item.id, null, p_now, null);
    return false;
  end if;
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
    if not animus.try_lock_tree(v_item.id) then return false; end if;
    if v_item.cancel_requested_at is not null then
      perform animus.end_work(v_item.id, 'cancelled', animus.cancel_error(v_item.cancel_reason), 'lost');
    else
      update animus.work_items set attempts = v_attempts, crashes = v_crashes, unstarted_claims = v_unstarted where id = v_item.id;
      perform animus.end_work(v_item.id, 'dead', v_error, 'lost');
    end if;
    return false;
  end if;
  perform animus.lose_open_requests(array[v_item.id]);
  update animus.work_items set state = 'claimed', lease_owner = p_daemon_id, lease_token = animus.draw_token(), lease_expires_at = p_expires_at,
         lease_seconds = extract(epoch from p_expires_at - p_now), attempts = v_attempts, crashes = v_crashes, unstarted_claims = v_unstarted, max_attempts = v_max, turns_at_claim = turns where id = v_item.id;
  return true;
end $$;
