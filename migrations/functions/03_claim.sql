-- Claiming: one short transaction under one lock, so that faculty maxima and concurrency keys are exact. A claim never
-- waits for a row lock: locked rows are left for the next claim, so no open transaction can stop the queue.

-- Claims up to p_limit items for a daemon, best first, with fresh lease tokens. p_faculties: {"name": {"max": int, "max_attempts": int,
-- "dedup_until": "resolved" | "claimed", "host_grace_seconds": number, "batches": true, "budgets": true, "suspects": true, "ahead": int, "yields": true}} — the faculties this
-- daemon can run; other work is ignored. Without "batches", items with a turn under way in a batch are ignored, too; without "budgets", items
-- to which a limit applies.
-- p_limit: how many more it has room for. p_ahead: claims up to so many more, which wait in the daemon for a free slot, of each faculty at
-- most its "ahead", and none of one that "yields" while another daemon has room for it; none when the next in turn is an item of a faculty without "ahead", which
-- needs a slot. p_waiting: faculties of which
-- items wait in the daemon.
-- Returns the claimed items with fresh tokens, reclaimed ones first, then in the order of their claim; one row without an item if there
-- are none. Also notes whether the daemon is full now, so that inserts need not wake it. paused: those of p_waiting that are paused.
-- settled = false: the daemon was full and is not any more, and a transaction is open that saw it full; call await_skipped until it
-- returns true, then claim again. p_first: this is the first claim of the daemon, so that a transaction may not have seen it at all.
-- Claims are serialised. The lock is held for the length of a claim; inserts, heartbeats and completions never take it. It is on a table of ours, which no other
-- role may lock, in a mode that needs no transaction id and does not affect the fast path of other locks. The settings make the plans independent of
-- statistics: whatever the tables hold, a claim is a handful of index probes. Its steps: claim_look, claim_choose, claim_take.
-- Locks: animus.claim_turn; the rows of the items, and skips those that others have locked; skip_turn, without waiting, when a full daemon becomes
-- free. Raises: 57PA1.
create or replace function animus.claim_ready_work(
  p_daemon_id uuid, p_faculties jsonb, p_limit int, p_lease interval, p_first boolean, p_ahead int default 0, p_waiting text[] default '{}')
returns table (settled boolean, paused text[], work animus.work_items, alone text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_paused  text[] := '{}';
  v_settled boolean := true;
  v_full    boolean;
  v_unseen  boolean;
  v_before  text;
  v_claimed uuid[];
  v_more    uuid[];
  v_alone   text;
begin
  if p_waiting <> '{}' then
    v_paused := array(select w from unnest(p_waiting) w
                       where exists (select from animus.pauses p where p.faculty in (w, '*') and (p.until is null or p.until > animus.now())));
  end if;
  if p_limit + p_ahead < 1 then return query select true, v_paused, null::animus.work_items, null::text; return; end if;
  lock table animus.claim_turn in share update exclusive mode;
  v_full := (select saturated from animus.daemons where id = p_daemon_id);
  v_unseen := p_first or coalesce(v_full, false);
  if v_unseen then v_before := pg_current_snapshot(); end if;
  select l.claimed, l.alone into v_claimed, v_alone from animus.claim_look(p_daemon_id, p_faculties, p_limit, p_lease, true, p_ahead) l;
  if v_unseen and v_alone is null and cardinality(v_claimed) < p_limit then
    -- See wake_daemons. The queue need not be read again if no transaction has ended meanwhile.
    v_settled := animus.take_skip_turn();
    if v_settled and pg_current_snapshot()::text <> v_before then
      select l.claimed, l.alone into v_more, v_alone
        from animus.claim_look(p_daemon_id, p_faculties, p_limit - cardinality(v_claimed), p_lease, false, p_ahead) l;
      v_claimed := v_claimed || v_more;
    end if;
  end if;
  if v_full <> (cardinality(v_claimed) >= p_limit) then
    update animus.daemons set saturated = not v_full where id = p_daemon_id;
  end if;
  if v_claimed = '{}' then return query select v_settled, v_paused, null::animus.work_items, v_alone; return; end if;
  -- A row is read for its size only where a part of it is large.
  return query
    select v_settled, v_paused, case when octet_length(w.description) > 16777216 or pg_column_size(w.params) > 65536
                                       or pg_column_size(w.trigger_info) > 65536 then animus.readable_work(w) else w end, v_alone
      from unnest(v_claimed) with ordinality as c (id, nth) join animus.work_items w on w.id = c.id order by c.nth;
end $$;

-- Claims as claim_ready_work does, and returns the items alone. A daemon that was full and gets less than it asked for must claim again
-- after a moment: an insert may have seen it full.
-- Locks: as claim_ready_work. Raises: 57PA1.
create or replace function animus.claim_work(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_lease interval)
returns setof animus.work_items
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select (c.work).* from animus.claim_ready_work(p_daemon_id, p_faculties, p_limit, p_lease, false) c where (c.work).id is not null
$$;

drop function if exists animus.claim_round(uuid, jsonb, int, interval, boolean, int);
drop function if exists animus.claim_pass(uuid, jsonb, int, interval, boolean, int);
drop function if exists animus.claim_heads(uuid, jsonb, int, timestamptz, timestamptz, int);
-- The first step of a claim: looks through the queue once and claims up to p_limit items, and p_ahead more. What was due, freed or expired, or is suspected, comes
-- first. Heads that cannot be claimed are skipped (their key is busy, which removes them from the index, or they are locked), and another round looks
-- behind them. What claims leave out (find_faults) is skipped, too. p_expired: takes over expired leases, too. alone: as in test_suspects.
-- Locks: the rows of the items, and skips those that others have locked. Raises: 57PA1.
create or replace function animus.claim_look(
  p_daemon_id uuid, p_faculties jsonb, p_limit int, p_lease interval, p_expired boolean, p_ahead int, out claimed uuid[], out alone text)
language plpgsql as $$
declare
  v_now     timestamptz := animus.now();
  v_has     record;
  v_test    record;
  v_without uuid[] := '{}';
  v_heads   uuid[];
  v_round   record;
begin
  claimed := '{}';
  alone := null;
  -- One probe covers the rare cases: each of these steps costs as much as the claim itself, even when it finds nothing.
  select exists (select from animus.work_items where state = 'scheduled' and run_at <= v_now) as due,
         exists (select from animus.freed_keys) as freed,
         exists (select from animus.work_items where suspect_of is not null and state in ('queued', 'claimed', 'running')) as suspects,
         exists (select from animus.claim_faults) or exists (select from animus.faculty_faults) as faults,
         p_expired and exists (select from animus.work_items where state in ('claimed', 'running') and lease_expires_at < v_now) as expired into v_has;
  if v_has.faults then p_faculties := p_faculties - animus.faulty_faculties(v_now); v_without := animus.faulty_items(v_now); end if;
  if v_has.due then perform animus.promote_due(v_now, 1000); end if;
  if v_has.freed then perform animus.offer_freed_keys(); end if;
  if v_has.expired then claimed := animus.reclaim_expired(p_daemon_id, p_faculties, p_limit, v_now, v_now + p_lease); end if;
  if p_expired and (v_has.suspects or v_has.expired) then
    select t.claimed, t.alone into v_test from animus.test_suspects(p_daemon_id, p_faculties, v_now, v_now + p_lease) t;
    claimed := claimed || v_test.claimed;
    alone := v_test.alone;
    if alone is not null then
      if v_has.faults then perform animus.forget_faults(claimed); end if;
      return;
    end if;
  end if;
  -- Nothing is done under a claim before a later commit, which waits for the disk and so for this one, too: start_focus, or an end. A
  -- crash of the server in between takes the claim back, and the daemon's token then holds nothing. Ends by reclaim do wait.
  if p_expired and not v_has.expired then perform set_config('synchronous_commit', 'off', true); end if;
  p_limit := p_limit - cardinality(claimed);
  while p_limit + p_ahead > 0 loop
    v_heads := animus.claim_choose(p_daemon_id, p_faculties, p_limit, p_ahead, v_without, v_now);
    exit when v_heads is null;
    select t.claimed, t.blocked into v_round from animus.claim_take(v_heads, p_daemon_id, p_faculties, v_now, v_now + p_lease) t;
    claimed := claimed || v_round.claimed;
    exit when cardinality(v_round.claimed) = cardinality(v_heads);
    v_without := v_without || array(select unnest(v_heads) except select unnest(v_round.claimed) except select unnest(v_round.blocked));
    p_limit := p_limit - cardinality(v_round.claimed);
    p_ahead := 0;
  end loop;
  if v_has.faults then perform animus.forget_faults(claimed); end if;
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
  update animus.work_items set lease_expires_at = animus.now() + p_lease, lease_seconds = extract(epoch from p_lease) where id = any (v_ids);
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
      continue when not animus.try_lock_tree(v_item.id);
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

drop function if exists animus.claim_these(uuid[], uuid, jsonb, timestamptz, timestamptz);
-- The third step of a claim: claims what was chosen (best first), as far as it is not locked and its key is free; flags what has a busy key.
-- Locks: the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.claim_take(
  p_ids uuid[], p_daemon_id uuid, p_faculties jsonb, p_now timestamptz, p_expires_at timestamptz, out claimed uuid[], out blocked uuid[])
language plpgsql as $$
declare
  v_keyed    boolean;
  v_messages bigint[];
  v_release  boolean;
begin
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
           lease_seconds = extract(epoch from p_expires_at - p_now), max_attempts = coalesce((p_faculties -> w.faculty ->> 'max_attempts')::int, 3), turns_at_claim = w.turns
     where w.id = any (claimed)
    returning w.faculty, w.dedup_key, w.queue_msg_id)
  select array_agg(t.queue_msg_id), bool_or(t.dedup_key is not null and p_faculties -> t.faculty ->> 'dedup_until' = 'claimed')
    into v_messages, v_release from taken t;
  -- Hidden from plain pgmq readers once and permanently: the token protects the work, not the visibility time-out.
  update pgmq.q_animus_work m set vt = 'infinity', read_ct = m.read_ct + 1 where m.msg_id = any (v_messages);
  if v_release then
    delete from animus.active_keys k using animus.work_items w
     where w.id = any (claimed) and w.dedup_key is not null and p_faculties -> w.faculty ->> 'dedup_until' = 'claimed'
       and k.faculty = w.faculty
       -- The first form is that of items from before people had keys of their own.
       and k.dedup_key = any (array[w.dedup_key, animus.key_among(w.dedup_key, case when w.depth = 0 then w.submitted_by else animus.submitter_of(w.root_id) end)])
       and k.work_item_id = w.id;
  end if;
end $$;
