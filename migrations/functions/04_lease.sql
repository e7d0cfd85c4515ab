-- What the holder of a lease may do. Every function proves the token under a row lock first.

-- Locks the item and proves that the token is the newest and the item active; raises WA001 otherwise, and 57PA1 where somebody else
-- keeps the row locked. Answers with few columns: a whole row would read its params and outcome out of TOAST on every write of a focus.
-- Locks: the item's row; waits a fifth of a second at most. Raises: WA001, WA003, 57PA1.
create or replace function animus.hold_lease(p_id uuid, p_token bigint) returns animus.held_work
language plpgsql as $$
declare
  v_token bigint;
  v_held  animus.held_work;
begin
  loop
    select id, faculty, state, attempts, max_attempts, lease_owner, cancel_requested_at, cancel_reason, lease_token
      into v_held.id, v_held.faculty, v_held.state, v_held.attempts, v_held.max_attempts, v_held.lease_owner, v_held.cancel_requested_at,
           v_held.cancel_reason, v_token
      from animus.work_items where id = p_id for no key update skip locked;
    exit when found;
    if not exists (select from animus.work_items where id = p_id) then
      perform animus.raise('WA003', format('no work item %s', p_id), p_id);
    end if;
    -- Rarely: the lock is waited for in a place of its own, with a time-out, and read again.
    perform animus.lock_work(array[p_id]);
  end loop;
  if v_token is distinct from p_token or v_held.state not in ('claimed', 'running') then
    perform animus.raise('WA001', format('the lease on work item %s is lost (it is %s)', p_id, v_held.state), p_id);
  end if;
  return v_held;
end $$;

-- The heartbeat: one statement per daemon. A row that comes back not held was lost; cancel_requested asks its focus to stop. An item
-- whose row somebody else keeps locked does not come back: its lease is as old as before, and those of the others are extended.
-- Locks: the rows of the items; waits a fifth of a second at most. Raises: nothing.
create or replace function animus.extend_leases(p_daemon_id uuid, p_ids uuid[], p_tokens bigint[], p_lease interval)
returns table (work_item_id uuid, held boolean, cancel_requested boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now    timestamptz := animus.now();
  v_locked uuid[];
  v_stuck  uuid[] := '{}';
begin
  update animus.daemons set seen_at = v_now where id = p_daemon_id;
  v_locked := array(select w.id from animus.work_items w where w.id = any (p_ids) for no key update skip locked);
  if cardinality(v_locked) < cardinality(p_ids) then
    v_stuck := animus.lock_soon(array(select w.id from animus.work_items w where w.id = any (p_ids) and w.id <> all (v_locked)));
  end if;
  return query
    with mine as (select u.id, u.token from unnest(p_ids, p_tokens) u (id, token) where u.id <> all (v_stuck)),
    kept as (
      update animus.work_items w set lease_expires_at = v_now + p_lease
        from mine m
       where w.id = m.id and w.lease_token = m.token and w.lease_expires_at is not null
      returning w.id, m.token, w.cancel_requested_at)
    select m.id, k.id is not null, k.cancel_requested_at is not null from mine m left join kept k on k.id = m.id and k.token = m.token;
end $$;

-- Locks the items; returns those that somebody else has locked and not given up within a fifth of a second, which is longer than any
-- write of ours. Waiting for good would let one transaction that was left open end every lease of a daemon.
-- Locks: the rows of the items; waits a fifth of a second at most. Raises: nothing.
create or replace function animus.lock_soon(p_ids uuid[]) returns uuid[]
language plpgsql set lock_timeout = '200ms' as $$
begin
  -- In id order, like every path that locks several items: nobody waits for each other in a circle.
  perform from animus.work_items where id = any (p_ids) order by id for no key update;
  return '{}';
exception when lock_not_available or deadlock_detected then
  return array(
    select unnest(p_ids) except
    select id from (select id from animus.work_items where id = any (p_ids) for no key update skip locked) free);
end $$;

-- Locks all of the items, or raises 57PA1 and names the first that somebody else has locked. The caller tries again; waiting for good
-- here would keep its connection for as long as a stranger likes. p_tries, each of a fifth of a second: 1 for a daemon, whose connections
-- are few; more for operators, who have one of their own.
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
  perform animus.raise('57PA1', format('work item %s is locked by another transaction', v_stuck[1]), v_stuck[1],
    'try again; look in pg_stat_activity for a session that is idle in transaction');
end $$;

-- Locks all of the items or none, and returns those that stood in the way. None, so that two who want each other's items, such as the
-- cancels of a tree and of a part of it, do not keep them from each other between their tries.
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
    -- Gives up the locks of this look, and keeps what was seen.
    raise exception using errcode = 'WA000';
  exception when sqlstate 'WA000' then null;
  end;
  -- What stood in the way may be free by now: then it is the caller's next try that finds out.
  return case when v_stuck = '{}' then p_ids else v_stuck end;
end $$;

-- Hands an item back, attempts unchanged: a drain, or a failure of the world. Its focus stays open and goes on later. An item whose
-- cancel was requested ends cancelled instead.
-- Locks: the item's row, as hold_lease; the rows of what it spawned where it ends. Raises: WA001, WA003, 57PA1.
create or replace function animus.release_work(p_id uuid, p_token bigint, p_run_at timestamptz default null, p_reason text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_held animus.held_work := animus.hold_lease(p_id, p_token);
begin
  if v_held.cancel_requested_at is not null then
    perform animus.end_work(p_id, 'cancelled', animus.cancel_error(v_held.cancel_reason), 'cancelled');
    return;
  end if;
  perform animus.requeue(p_id, p_run_at, v_now,
    case when p_reason is not null then jsonb_build_object('code', 'work.released', 'message', animus.cut_text(p_reason, 10000), 'at', v_now) end);
end $$;

-- Puts an active item back into the queue, or off until p_run_at, with its message visible again; p_error replaces its last error unless
-- null.
-- Locks: the item's row. Raises: nothing.
create or replace function animus.requeue(p_id uuid, p_run_at timestamptz, p_now timestamptz, p_error jsonb, p_failed int default 0) returns text
language plpgsql as $$
declare
  v_item record;
begin
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

-- Ends the item as done. Calling it again with the same token changes nothing: an acknowledgement may get lost.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.complete_work(p_id uuid, p_token bigint, p_outcome jsonb, p_summary text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if cardinality(animus.complete_held(array[p_id], array[p_token], array[p_outcome], array[p_summary])) > 0 then return; end if;
  perform from animus.work_items where id = p_id and state = 'completed' and lease_token = p_token;
  if found then return; end if;
  perform animus.hold_lease(p_id, p_token);
  perform animus.complete_held(array[p_id], array[p_token], array[p_outcome], array[p_summary]);
end $$;

-- Ends many items as done in one statement, each protected by its own token; one that was lost or is locked does not hold up the others.
-- Array n of each argument belongs to item n. result: 'completed'; 'lost', nothing was written; 'locked', somebody else keeps the row
-- locked and nothing was written yet: try again.
-- Locks: the rows of the items; waits a fifth of a second at most. Raises: nothing.
create or replace function animus.complete_batch(p_ids uuid[], p_tokens bigint[], p_outcomes jsonb[], p_summaries text[] default null)
returns table (work_item_id uuid, result text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_ours uuid[];
begin
  if cardinality(animus.complete_held(p_ids, p_tokens, p_outcomes, p_summaries)) = cardinality(p_ids) then
    return query select u.id, 'completed' from unnest(p_ids) with ordinality as u (id, nth) order by u.nth;
    return;
  end if;
  -- What is still ours and was passed over is locked by somebody else, or was until a moment ago.
  v_ours := array(select w.id from unnest(p_ids, p_tokens) m (id, token) join animus.work_items w on w.id = m.id
                   where w.lease_token = m.token and w.lease_expires_at is not null);
  if v_ours <> '{}' then
    perform animus.lock_soon(v_ours);
    perform animus.complete_held(p_ids, p_tokens, p_outcomes, p_summaries);
  end if;
  -- Asked of the rows: one item may be named twice, with a token that holds and one that is lost.
  return query
    select m.id, case when w.lease_token is distinct from m.token then 'lost' when w.state = 'completed' then 'completed'
                      when w.lease_expires_at is not null then 'locked' else 'lost' end
      from unnest(p_ids, p_tokens) with ordinality as m (id, token, nth) left join animus.work_items w on w.id = m.id order by m.nth;
end $$;

-- Ends many items as done in one statement, each protected by its own token; one that was lost does not hold up the others and comes back
-- with completed = false.
-- Locks: the rows of the items. Raises: 57PA1.
create or replace function animus.complete_works(p_ids uuid[], p_tokens bigint[], p_outcomes jsonb[], p_summaries text[] default null)
returns table (work_item_id uuid, completed boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_end record;
begin
  for v_end in select b.work_item_id as id, b.result from animus.complete_batch(p_ids, p_tokens, p_outcomes, p_summaries) b loop
    work_item_id := v_end.id;
    completed := v_end.result = 'completed';
    -- At once: who has it locked may wait for one that was completed just now.
    if v_end.result = 'locked' then perform animus.lock_work(array[v_end.id]); end if;
    return next;
  end loop;
end $$;

-- Ends those of the items whose lease the tokens prove and that nobody else has locked; returns their ids. One statement locks, judges
-- and writes, in id order like every path that locks several items. That an item is active is judged by its lease, which the trigger keeps in step with the
-- state: a condition on the state would invite a scan of every active item. Without jit = off PostgreSQL before 18, where a scan
-- that has no other way costs ten billion, would compile the plans of the triggers' steps on each run.
-- Locks: the rows of the items. Raises: nothing.
create or replace function animus.complete_held(p_ids uuid[], p_tokens bigint[], p_outcomes jsonb[], p_summaries text[]) returns uuid[]
language plpgsql set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now      timestamptz := animus.now();
  v_ids      uuid[];
  v_messages bigint[];
  v_keyed    boolean;
begin
  with ended as (
    update animus.work_items w
       set state = 'completed', outcome = case when pg_column_size(i.outcome) <= 4096 then i.outcome else animus.keep_outcome(i.id, i.outcome) end,
           outcome_summary = left(i.summary, 10000), error = null, resolved_at = v_now,
           lease_owner = null, lease_expires_at = null
      from (select u.id, u.token, u.outcome, u.summary
              from unnest(p_ids, p_tokens, p_outcomes, p_summaries) as u (id, token, outcome, summary)
              join animus.work_items l on l.id = u.id and l.lease_token = u.token and l.lease_expires_at is not null
             order by u.id for no key update of l skip locked) i
     where w.id = i.id and w.lease_token = i.token and w.lease_expires_at is not null
    returning w.id, w.dedup_key, w.queue_msg_id)
  select array_agg(id), array_agg(queue_msg_id), bool_or(dedup_key is not null) into v_ids, v_messages, v_keyed from ended;
  if v_ids is null then return '{}'; end if;
  perform animus.follow_ends(v_ids, v_messages, v_keyed, 'completed', null, 'completed', v_now);
  return v_ids;
end $$;

-- Ends an attempt that failed: again at p_retry_at, or dead when there is none or attempts are used up. p_keep says what the
-- next attempt goes on from: 'transcript' keeps the focus open, anything else ends it. Returns the item's new state.
-- Locks: the item's row, as hold_lease; the rows of what it spawned where it ends. Raises: WA001, WA003, 57PA1.
create or replace function animus.fail_work(p_id uuid, p_token bigint, p_error jsonb, p_retry_at timestamptz default null, p_keep text default 'ledger') returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_held animus.held_work := animus.hold_lease(p_id, p_token);
begin
  p_error := animus.cut_error(p_error);
  if v_held.cancel_requested_at is not null then
    perform animus.end_work(p_id, 'cancelled', animus.cancel_error(v_held.cancel_reason), 'cancelled');
    return 'cancelled';
  end if;
  if p_retry_at is null or v_held.attempts + 1 >= v_held.max_attempts then
    update animus.work_items set attempts = attempts + 1, crashes = 0 where id = p_id;
    perform animus.end_work(p_id, 'dead', p_error, 'failed');
    return 'dead';
  end if;
  if p_keep <> 'transcript' then
    update animus.foci set ended_as = 'failed', ended_at = v_now, error = p_error where work_item_id = p_id and ended_as is null;
  end if;
  return animus.requeue(p_id, p_retry_at, v_now, p_error, p_failed => 1);
end $$;

-- Ends a running item whose cancel was requested, as its own focus does.
-- Locks: the item's row, as hold_lease; the rows of what it spawned. Raises: WA001, WA002, WA003, 57PA1.
create or replace function animus.end_cancelled(p_id uuid, p_token bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_held animus.held_work := animus.hold_lease(p_id, p_token);
begin
  if v_held.cancel_requested_at is null then
    perform animus.raise('WA002', format('nobody asked to cancel work item %s', p_id), p_id);
  end if;
  perform animus.end_work(p_id, 'cancelled', animus.cancel_error(v_held.cancel_reason), 'cancelled');
end $$;

-- Ends an item dead or cancelled, and what it spawned with it. The caller holds its row lock.
-- Locks: the rows of what it spawned. Raises: 57PA1.
create or replace function animus.end_work(p_id uuid, p_state text, p_error jsonb, p_focus_ended_as text) returns void
language plpgsql as $$
begin
  perform animus.end_works(array[p_id], p_state, null, null, p_error, p_focus_ended_as);
  perform animus.cancel_open(animus.lock_open_descendants(p_id), format('its parent %s is %s', p_id, p_state));
end $$;

-- Ends items in whatever open state. The caller holds their row locks since an earlier statement.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.end_works(
  p_ids uuid[], p_state text, p_outcomes jsonb[], p_summaries text[], p_error jsonb, p_focus_ended_as text) returns void
language plpgsql set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now      timestamptz := animus.now();
  v_messages bigint[];
  v_keyed    boolean;
begin
  with ended as (
    update animus.work_items w
       set state = p_state, outcome = i.outcome, outcome_summary = i.summary, error = p_error, resolved_at = v_now,
           lease_owner = null, lease_expires_at = null, key_blocked = false,
           cancel_reason = case when p_state = 'cancelled' then coalesce(p_error ->> 'message', p_error ->> 'reason') else w.cancel_reason end
      from unnest(p_ids, p_outcomes, p_summaries) as i (id, outcome, summary)
     where w.id = i.id
    returning w.dedup_key, w.queue_msg_id)
  select array_agg(queue_msg_id), bool_or(dedup_key is not null) into v_messages, v_keyed from ended;
  perform animus.follow_ends(p_ids, v_messages, v_keyed, p_state, p_error, p_focus_ended_as, v_now);
end $$;

-- The advisory lock that those who register a watch of the item share.
-- Locks: none. Raises: nothing.
create or replace function animus.watch_key(p_id uuid) returns bigint
language sql immutable parallel safe as $$ select hashtextextended(p_id::text, 7301) $$;

-- Those of the items whose end somebody waits for. A watch that is not committed yet cannot be seen, so who registers one holds a shared
-- advisory lock of the item until its commit: where that is held, the end is notified. Nobody waits here, neither for a lock nor for
-- a watcher; the other way round, a watcher waits for an end that is being committed. Past the first hundred items only what can be seen counts.
-- Locks: the advisory locks of the items; waits for none. Raises: nothing.
create or replace function animus.watched(p_ids uuid[]) returns uuid[]
language plpgsql as $$
declare
  v_begun uuid[];
begin
  v_begun := array(select u.id from unnest(p_ids[1:100]) u (id) where not pg_try_advisory_xact_lock(animus.watch_key(u.id)));
  -- In a later statement: whoever gave the lock up in between has committed what is looked for here.
  return array(select u.id from unnest(p_ids) u (id)
                where u.id = any (v_begun) or exists (select from animus.watches w where w.work_item_id = u.id));
end $$;

-- Ends what belongs to items that have just ended (message, key, focus, waits) and notifies their watchers, in the transaction of the
-- caller. A statement for each table that is concerned, rather than one for all: what an item does not have costs no more than a probe.
-- The callers keep the plans: making one for seven tables cost twice what running it does.
-- Locks: the rows of these. Raises: nothing.
create or replace function animus.follow_ends(
  p_ids uuid[], p_messages bigint[], p_keyed boolean, p_state text, p_error jsonb, p_focus_ended_as text, p_now timestamptz) returns void
language plpgsql as $$
declare
  v_has     record;
  v_watched uuid[];
begin
  with message as (
    delete from pgmq.q_animus_work m where m.msg_id = any (p_messages) returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message)
  insert into pgmq.a_animus_work (msg_id, read_ct, enqueued_at, vt, message) select msg_id, read_ct, enqueued_at, vt, message from message;

  if p_keyed then
    delete from animus.active_keys k using animus.work_items w
     where w.id = any (p_ids) and k.faculty = w.faculty and k.dedup_key = w.dedup_key and k.work_item_id = w.id;
  end if;

  v_watched := animus.watched(p_ids);
  select exists (select from animus.foci where work_item_id = any (p_ids) and ended_as is null) as focus,
         exists (select from animus.waits where work_item_id = any (p_ids) and resolved_at is null) as wait,
         exists (select from animus.watches where work_item_id = any (p_ids)) as watch into v_has;
  if v_has.focus then
    update animus.foci set ended_as = p_focus_ended_as, ended_at = p_now, error = p_error where work_item_id = any (p_ids) and ended_as is null;
  end if;
  -- Nobody waits any more; a late answer then finds nothing to resolve.
  if v_has.wait then
    update animus.waits set resolved_at = p_now, result = jsonb_build_object('ended', p_state)
     where work_item_id = any (p_ids) and resolved_at is null;
  end if;
  -- Sent only where somebody watches; an item nobody waits for costs no NOTIFY. A watch that is being registered or renewed in a
  -- transaction that stays open is not waited for: retention removes it when its time is over.
  if v_has.watch then
    delete from animus.watches where work_item_id in (select work_item_id from animus.watches where work_item_id = any (p_ids) for update skip locked);
  end if;
  perform animus.notify('animus_work_done', watched::text) from unnest(v_watched) watched;
end $$;
