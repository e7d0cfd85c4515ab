-- Claiming: one short transaction under one advisory lock, so that faculty maxima and concurrency keys are exact.

-- p_faculties: {"name": {"max": int, "max_attempts": int, "dedup_until": "resolved" | "claimed"}} — the faculties this daemon
-- can run; everything else is left alone. Returns the claimed items with fresh tokens, reclaimed ones among them.
create or replace function animus.claim_work(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_lease interval)
returns setof animus.work_items
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now      timestamptz;
  v_claimed  uuid[];
begin
  if p_limit < 1 then return; end if;
  -- Claimers take turns. The lock's wait is the length of a claim; inserts, heartbeats and completions never take it.
  perform pg_advisory_xact_lock(hashtextextended('animus.claim', 0));
  v_now := animus.now();

  perform animus.promote_due(v_now, 1000);

  v_claimed := animus.reclaim_expired(p_daemon_id, p_faculties, p_limit, v_now, v_now + p_lease);
  v_claimed := v_claimed || animus.claim_heads(p_daemon_id, p_faculties, p_limit - cardinality(v_claimed), v_now, v_now + p_lease);

  if cardinality(v_claimed) > 0 then
    return query select w.* from animus.work_items w where w.id = any (v_claimed);
  end if;
end $$;

-- Moves scheduled items whose time has come into the queue, at most p_limit.
create or replace function animus.promote_due(p_now timestamptz, p_limit int) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_ids uuid[];
begin
  select array_agg(id) into v_ids from (
    select id from animus.work_items where state = 'scheduled' and run_at <= p_now order by run_at limit p_limit for update skip locked) due;
  if v_ids is null then return 0; end if;
  update animus.work_items set state = 'queued' where id = any (v_ids);
  return cardinality(v_ids);
end $$;

-- Takes over items whose lease ran out. A crash counts as an attempt, unless the focus had got further since the last one:
-- then only this crash counts, so that a long piece of work survives any number of deployments.
create or replace function animus.reclaim_expired(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_now timestamptz, p_expires_at timestamptz)
returns uuid[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item      record;
  v_attempts  int;
  v_crashes   int;
  v_max       int;
  v_reclaimed uuid[] := '{}';
begin
  for v_item in
    select id, faculty, attempts, crashes, turns, turns_at_claim, max_attempts, cancel_requested_at, cancel_reason from animus.work_items
     where state in ('claimed', 'running') and lease_expires_at < p_now and p_faculties ? faculty
     order by lease_expires_at limit p_limit for update skip locked
  loop
    if v_item.cancel_requested_at is not null then
      perform animus.end_work(v_item.id, 'cancelled', p_error => jsonb_build_object('reason', v_item.cancel_reason), p_focus_ended_as => 'lost');
      continue;
    end if;
    v_crashes := case when v_item.turns > v_item.turns_at_claim then 1 else v_item.crashes + 1 end;
    v_attempts := v_item.attempts - v_item.crashes + v_crashes;
    v_max := coalesce((p_faculties -> v_item.faculty ->> 'max_attempts')::int, v_item.max_attempts, 3);
    update animus.work_items set attempts = v_attempts, crashes = v_crashes where id = v_item.id;
    if v_crashes > 0 and v_attempts >= v_max then
      perform animus.end_work(v_item.id, 'dead', p_focus_ended_as => 'lost', p_error => jsonb_build_object(
        'code', 'work.crashed', 'message', format('the daemon was lost %s time(s) without a new turn; attempts used up (%s of %s)', v_crashes, v_attempts, v_max)));
      continue;
    end if;
    update animus.work_items set state = 'claimed', lease_owner = p_daemon_id, lease_token = nextval('animus.lease_tokens'),
           lease_expires_at = p_expires_at, max_attempts = v_max, turns_at_claim = turns where id = v_item.id;
    v_reclaimed := v_reclaimed || v_item.id;
  end loop;
  return v_reclaimed;
end $$;

-- Claims up to p_limit queued items. Heads whose concurrency key turned out to be busy are flagged out of the index by
-- claim_round, and another round looks behind them.
create or replace function animus.claim_heads(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_now timestamptz, p_expires_at timestamptz)
returns uuid[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_claimed uuid[] := '{}';
  v_round   record;
begin
  while cardinality(v_claimed) < p_limit loop
    select ids, blocked into v_round
      from animus.claim_round(p_daemon_id, p_faculties, p_limit - cardinality(v_claimed), p_now, p_expires_at);
    v_claimed := v_claimed || v_round.ids;
    exit when v_round.blocked = 0;
  end loop;
  return v_claimed;
end $$;

-- One round: the heads of every faculty with room, by priority, then fewest running, then age.
create or replace function animus.claim_round(
  p_daemon_id uuid, p_faculties jsonb, p_limit int, p_now timestamptz, p_expires_at timestamptz, out ids uuid[], out blocked int)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_ids     uuid[] := '{}';
  v_blocked uuid[] := '{}';
  v_keys    text[] := '{}';
  v_head    record;
begin
  -- Collected into memory first: a set-returning query with a limit parameter is planned generically and scans.
  for v_head in
    select h.id, h.concurrency_key
      from jsonb_each(p_faculties) f (name, options)
      cross join lateral (select count(*)::int as n from animus.work_items r where r.faculty = f.name and r.state in ('claimed', 'running')) running
      cross join lateral (
        select q.id, q.priority, q.concurrency_key, row_number() over (order by q.priority desc, q.id) as nth
          from (select w.id, w.priority, w.concurrency_key from animus.work_items w
                 where w.faculty = f.name and w.state = 'queued' and not w.key_blocked
                 order by w.priority desc, w.id
                 limit greatest(0, least(p_limit, (f.options ->> 'max')::int - running.n))) q) h
     where not exists (select from animus.pauses p where p.faculty in (f.name, '*') and (p.until is null or p.until > p_now))
     order by h.priority desc, running.n + h.nth, h.id
     limit p_limit
  loop
    if v_head.concurrency_key is not null then
      if v_head.concurrency_key = any (v_keys) or animus.key_is_held(v_head.concurrency_key) then
        v_blocked := v_blocked || v_head.id;
        continue;
      end if;
      v_keys := v_keys || v_head.concurrency_key;
    end if;
    v_ids := v_ids || v_head.id;
  end loop;

  blocked := cardinality(v_blocked);
  if blocked > 0 then
    update animus.work_items set key_blocked = true where id = any (v_blocked) and state = 'queued';
  end if;

  -- The state is tested again: a cancel may have come between.
  with claimed as (
    update animus.work_items w
       set state = 'claimed', lease_owner = p_daemon_id, lease_token = nextval('animus.lease_tokens'), lease_expires_at = p_expires_at,
           max_attempts = coalesce((p_faculties -> w.faculty ->> 'max_attempts')::int, 3), turns_at_claim = w.turns
     where w.id = any (v_ids) and w.state = 'queued'
    returning w.id, w.faculty, w.dedup_key, w.queue_msg_id),
  hidden as (
    -- Hidden from plain pgmq readers once, for good: the token protects the work, not the visibility time-out.
    update pgmq.q_work m set vt = 'infinity', read_ct = m.read_ct + 1 from claimed c where m.msg_id = c.queue_msg_id),
  released as (
    delete from animus.active_keys k using claimed c
     where k.work_item_id = c.id and p_faculties -> c.faculty ->> 'dedup_until' = 'claimed')
  select coalesce(array_agg(id), '{}') into ids from claimed;
end $$;

-- Is an item with this key active? Locks the holder, so that the answer stays true until the caller has flagged who must
-- wait: lock order is the holder first, then those it blocks (unblock_key runs under the holder's lock).
create or replace function animus.key_is_held(p_key text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from animus.work_items where concurrency_key = p_key and state in ('claimed', 'running') for no key update;
  return found;
end $$;
