-- The operations of a lease holder. Every function first checks the token under a row lock.

-- Locks the item and checks that the token is the newest and the item active; raises WA001 otherwise, and 57PA1 if another transaction
-- keeps the row locked. Returns few columns: a whole row would read its params and outcome from TOAST on every write of a focus.
-- A write of a focus also renews its lease where less than two thirds of it are left. Heartbeats come earlier, so this writes nothing unless they
-- could not have the row, because the focus itself holds it: on a slow disk, its commits may take longer than the pauses between them. A lease
-- has to outlast a slow commit, so one of less than half a minute is renewed earlier.
-- Locks: the item's row; waits a fifth of a second at most. Raises: WA001, WA003, 57PA1.
create or replace function animus.hold_lease(p_id uuid, p_token bigint) returns animus.held_work
language plpgsql as $$
declare
  v_token bigint;
  v_ends  timestamptz;
  v_lease real;
  v_held  animus.held_work;
begin
  loop
    select id, faculty, state, attempts, max_attempts, lease_owner, cancel_requested_at, cancel_reason, has_mail, dedup_key is not null, lease_token,
           lease_expires_at, lease_seconds
      into v_held.id, v_held.faculty, v_held.state, v_held.attempts, v_held.max_attempts, v_held.lease_owner, v_held.cancel_requested_at,
           v_held.cancel_reason, v_held.has_mail, v_held.keyed, v_token, v_ends, v_lease
      from animus.work_items where id = p_id for no key update skip locked;
    exit when found;
    if not exists (select from animus.work_items where id = p_id) then
      perform animus.raise('WA003', format('no work item %s', p_id), p_id);
    end if;
    -- Rare: wait for the lock elsewhere, with a time-out, then read again.
    perform animus.lock_work(array[p_id]);
  end loop;
  if v_token is distinct from p_token or v_held.state not in ('claimed', 'running') then
    perform animus.raise('WA001', format('the lease on work item %s is lost (it is %s)', p_id, v_held.state), p_id);
  end if;
  -- Null: claimed by a daemon of a version that did not record it; its heartbeats do.
  if v_lease is not null and v_ends < animus.now() + make_interval(secs => greatest(v_lease * 2 / 3, least(v_lease * 0.9, 20))) then
    update animus.work_items set lease_expires_at = animus.now() + make_interval(secs => v_lease) where id = p_id;
  end if;
  return v_held;
end $$;

-- Renews the leases of a daemon's items in one statement: the heartbeat. A returned row with held = false was lost; cancel_requested
-- asks its focus to stop. An item whose row is locked is not returned: its lease is not extended, the others are; leases_left says how long
-- it lasts. p_daemon_id null: the daemon is not noted as seen.
-- Locks: the rows of the items, and skips those that others have locked; the row of the daemon. Raises: nothing.
create or replace function animus.extend_leases(p_daemon_id uuid, p_ids uuid[], p_tokens bigint[], p_lease interval)
returns table (work_item_id uuid, held boolean, cancel_requested boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now  timestamptz := animus.now();
  -- Before the daemon's row: a claim locks its items first, too.
  v_free uuid[] := array(select w.id from animus.work_items w where w.id = any (p_ids) order by w.id for no key update skip locked);
begin
  -- A slow disk must not keep the rows from the writes of their foci. A crash of the server may undo one renewal; the one before is not over then.
  perform set_config('synchronous_commit', 'off', true);
  update animus.daemons set seen_at = v_now where id = p_daemon_id;
  return query
    with mine as (select u.id, u.token from unnest(p_ids, p_tokens) u (id, token) where u.id = any (v_free)),
    kept as (
      update animus.work_items w set lease_expires_at = v_now + p_lease, lease_seconds = extract(epoch from p_lease)
        from mine m
       where w.id = m.id and w.lease_token = m.token and w.lease_expires_at is not null
      returning w.id, m.token, w.cancel_requested_at)
    select m.id, k.id is not null, k.cancel_requested_at is not null from mine m left join kept k on k.id = m.id and k.token = m.token;
end $$;

-- Returns how long leases last, as far as they are held, and whether a cancel was requested: what extend_leases could not renew, because the
-- row is locked, or what is to be known without waiting for a commit. locked_by: the process id of the session that has locked the row; null:
-- nobody has now, or several. by_owner: that session is of the daemon that has the lease, so a write of the focus or of the heartbeat waits for its commit,
-- and nobody can take the item before it ends.
-- Locks: none. Raises: nothing.
drop function if exists animus.leases_left(uuid[], bigint[]);
create or replace function animus.leases_left(p_ids uuid[], p_tokens bigint[])
returns table (work_item_id uuid, seconds float8, cancel_requested boolean, locked_by int, by_owner boolean)
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select w.id, extract(epoch from w.lease_expires_at - animus.now())::float8, w.cancel_requested_at is not null, l.pid,
         exists (select from pg_stat_activity a where a.pid = l.pid and a.application_name = 'animus daemon ' || w.lease_owner)
    from unnest(p_ids, p_tokens) u (id, token) join animus.work_items w on w.id = u.id and w.lease_token = u.token and w.lease_expires_at is not null
         left join lateral (select k.pid from pg_locks k where k.locktype = 'transactionid' and k.transactionid = w.xmax and k.mode = 'ExclusiveLock' and k.granted) l
         on true
$$;

-- Locks the items; returns those that other transactions keep locked for a fifth of a second, which is longer than any write of
-- ours. Without a limit, one transaction left open could end every lease of a daemon.
-- Locks: the rows of the items; waits a fifth of a second at most. Raises: nothing.
create or replace function animus.lock_soon(p_ids uuid[]) returns uuid[]
language plpgsql set lock_timeout = '200ms' as $$
begin
  -- In id order, like every path that locks several items, so that no deadlock is possible.
  perform from animus.work_items where id = any (p_ids) order by id for no key update;
  return '{}';
exception when lock_not_available or deadlock_detected then
  return array(
    select unnest(p_ids) except
    select id from (select id from animus.work_items where id = any (p_ids) for no key update skip locked) free);
end $$;

-- Locks all of the items, or raises 57PA1 and names the first locked one. The caller retries; an unlimited wait here would block its
-- connection for as long as the other transaction is open. p_tries, each of a fifth of a second: 1 for a daemon, whose connections are
-- few; more for operators, who have their own.
-- Locks: the rows of the items; waits p_tries fifths of a second at most. Raises: 57PA1.
create or replace function animus.lock_work(p_ids uuid[], p_tries int default 1) returns void
language plpgsql as $$
declare
  v_stuck uuid[];
begin
  for v_try in 1 .. p_tries loop
    v_stuck := animus.lock_all(p_ids);
    if cardinality(v_stuck) = 0 then return; end if;
  end loop;
  perform animus.raise('57PA1', format('%s is locked by another transaction', animus.name_work(v_stuck[1])), animus.shown_work(v_stuck[1]),
    'try again; look in pg_stat_activity for a session that is idle in transaction');
end $$;

-- Locks all of the items or none, and returns those that were locked. It locks none when one is locked, so that two callers with
-- overlapping items, such as cancels of a tree and of a part of it, do not block each other between retries.
-- Locks: the rows of the items; waits a fifth of a second at most. Raises: nothing.
create or replace function animus.lock_all(p_ids uuid[]) returns uuid[]
language plpgsql set lock_timeout = '200ms' as $$
declare
  v_stuck uuid[];
begin
  perform from animus.work_items where id = any (p_ids) order by id for no key update;
  return '{}';
exception when lock_not_available or deadlock_detected then
  begin
    v_stuck := array(
      select unnest(p_ids) except
      select id from (select id from animus.work_items where id = any (p_ids) for no key update skip locked) free);
    -- Releases the locks of this attempt and keeps its result.
    raise exception using errcode = 'WA000';
  exception when sqlstate 'WA000' then null;
  end;
  -- The locked row may be free by now; the caller's next try finds out.
  return case when v_stuck = '{}' then p_ids else v_stuck end;
end $$;

-- Releases an item with its attempts unchanged, after a drain or a failure that is not the work's. Its focus stays open and resumes
-- later. An item whose cancel was requested ends as cancelled instead. p_cause: the code of what caused it, such as llm.overloaded.
-- Locks: the item's row, as hold_lease; where it ends, as lock_tree_to_end. Raises: WA001, WA003, 57PA1.
drop function if exists animus.release_work(uuid, bigint, timestamptz, text);
create or replace function animus.release_work(
  p_id uuid, p_token bigint, p_run_at timestamptz default null, p_reason text default null, p_cause text default null
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_held animus.held_work := animus.hold_to_cancel(p_id, p_token);
begin
  if v_held.cancel_requested_at is not null then
    perform animus.end_work(p_id, 'cancelled', animus.cancel_error(v_held.cancel_reason), 'cancelled');
    return;
  end if;
  perform animus.requeue(p_id, p_run_at, v_now,
    case when p_reason is not null then jsonb_strip_nulls(jsonb_build_object(
      'code', 'work.released', 'cause', left(p_cause, 200), 'message', animus.cut_text(p_reason, 10000), 'at', v_now)) end);
end $$;

-- Puts an active item back into the queue, or schedules it for p_run_at, with its message visible again; p_error replaces its last error
-- unless null.
-- Locks: the item's row. Raises: nothing.
create or replace function animus.requeue(p_id uuid, p_run_at timestamptz, p_now timestamptz, p_error jsonb, p_failed int default 0) returns text
language plpgsql as $$
declare
  v_item record;
begin
  perform animus.lose_open_requests(array[p_id]);
  update animus.work_items
     set state = case when p_run_at > p_now then 'scheduled' else 'queued' end,
         run_at = case when p_run_at > p_now then p_run_at else run_at end,
         attempts = attempts + p_failed, crashes = case when p_failed > 0 then 0 else crashes end,
         lease_owner = null, lease_expires_at = null, error = coalesce(p_error, error)
   where id = p_id returning state, queue_msg_id into v_item;
  update pgmq.q_animus_work set vt = greatest(p_run_at, p_now) where msg_id = v_item.queue_msg_id;
  if v_item.state = 'queued' then perform animus.wake_daemons(); end if;
  return v_item.state;
end $$;
