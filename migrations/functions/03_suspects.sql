-- Work that ends the process of its daemon. When a process ends, everything that it held is suspected, and runs alone before it runs with
-- others again: an end in company proves nothing. An end while alone proves something if the event loop was blocked before it: the second such
-- end is enough. Any other end may have come from outside (a kill, the power): twice max_attempts of them, without progress in between, are needed.

-- Says why the leases of a daemon ran out: 'ended', its process has; 'missing', it has no connection, and it takes another look in two seconds
-- to tell; 'alive', anything else: it is frozen or cut off (its connections stay open), the server was away, it was asked to end, or it is
-- of a version whose connections do not carry its id. Of a daemon with the embedded database, its process has ended when another one asks.
-- When its process is first found to have ended, what it had only claimed goes back (return_unbegun).
-- Locks: the row of the daemon; the rows of what goes back, and skips those that others have locked. Raises: nothing.
create or replace function animus.fate_of_daemon(p_id uuid, p_now timestamptz) returns text
language plpgsql as $$
declare
  v_daemon record;
begin
  select session, seen_at, ending_at, stopped_at, missing_since, died_at into v_daemon from animus.daemons where id = p_id for update;
  if v_daemon.session is null or v_daemon.ending_at is not null or v_daemon.stopped_at is not null then return 'alive'; end if;
  if v_daemon.session = 'named' then
    if pg_postmaster_start_time() > v_daemon.seen_at
       or exists (select from pg_stat_activity where application_name = 'animus daemon ' || p_id) then
      update animus.daemons set missing_since = null, died_at = null, died_with = null where id = p_id and missing_since is not null;
      return 'alive';
    end if;
  end if;
  if v_daemon.missing_since is null then
    -- What it held is counted once, before any of it is given to others. What it had given up itself makes it more than one.
    update animus.daemons set missing_since = p_now, tested_until = null, died_with = animus.held_by(p_id) + (coalesce(died_at, '-infinity') = 'infinity')::int where id = p_id;
    if v_daemon.session = 'named' then return 'missing'; end if;
  end if;
  if v_daemon.session = 'named' and v_daemon.missing_since > p_now - interval '2 seconds' then return 'missing'; end if;
  update animus.daemons set died_at = p_now where id = p_id and died_at is null;
  if found then perform animus.return_unbegun(p_id, p_now); end if;
  return 'ended';
end $$;

-- Puts back what a daemon has only claimed, as it was: most of it waited there for a slot. Something that was running is suspected in its place. What
-- stays is suspected: everything if nothing was running, because one of these may have ended the daemon before its focus began; and what an earlier daemon
-- held when it ended, so that work which ends each daemon that claims it is found beside others, too. Returns how many went back.
-- Locks: the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.return_unbegun(p_daemon_id uuid, p_now timestamptz) returns int
language plpgsql as $$
declare
  v_id uuid;
  v_n  int := 0;
begin
  if not exists (select from animus.work_items where state = 'running' and lease_owner = p_daemon_id) then return 0; end if;
  for v_id in
    select id from animus.work_items
     where state = 'claimed' and lease_owner = p_daemon_id and suspect_of is null and died_at is null and cancel_requested_at is null order by id for no key update skip locked
  loop
    update animus.work_items set died_at = p_now, died_at_turn = turns where id = v_id;
    perform animus.requeue(v_id, null, p_now, null);
    v_n := v_n + 1;
  end loop;
  return v_n;
end $$;

-- Returns how many items a daemon has claimed.
-- Locks: none. Raises: nothing.
create or replace function animus.held_by(p_daemon_id uuid) returns int
language sql stable as $$
  select count(*)::int from animus.work_items where state in ('claimed', 'running') and lease_owner = p_daemon_id
$$;

-- Says whether an item has made progress since a daemon last ended while it held it: two turns, or one whose calls have all ended by themselves.
-- A call in doubt is none: the daemon ended while it ran.
-- Locks: none. Raises: nothing.
create or replace function animus.progressed_since_death(p_id uuid) returns boolean
language sql stable as $$
  select w.turns > w.died_at_turn + 1 or exists (
           select from animus.foci f join animus.tool_calls c on c.focus_id = f.id
            where f.work_item_id = w.id and f.ended_as is null and c.turn >= w.died_at_turn and c.turn > 0
            group by f.id, c.turn having bool_and(c.state in ('done', 'failed', 'denied')) and max(c.ended_at) > w.died_at)
    from animus.work_items w where w.id = p_id
$$;

-- Takes an item from a daemon whose process has ended: it is suspected and queued, from p_run_at on, or dead if it ran alone and has ended daemons
-- often enough: two if p_proved, twice p_max otherwise, but ten if its focus had not begun, as for claims that never start. Its attempts stay as they were. The caller has locked its row. Returns false if it
-- could not be ended now.
-- Locks: as try_lock_tree where it ends. Raises: 57PA1.
create or replace function animus.lose_item(
  p_id uuid, p_daemon_id uuid, p_alone boolean, p_proved boolean, p_max int, p_run_at timestamptz, p_now timestamptz) returns boolean
language plpgsql as $$
declare
  v_item   record;
  v_deaths int;
begin
  select state, turns, deaths, died_at, suspect_of, cancel_requested_at, cancel_reason into v_item from animus.work_items where id = p_id;
  v_deaths := case when v_item.deaths > 0 and not animus.progressed_since_death(p_id) then v_item.deaths + 1
                   -- return_unbegun did not count the first one.
                   when v_item.deaths = 0 and v_item.state = 'claimed' and v_item.died_at is not null and not animus.progressed_since_death(p_id) then 2
                   else 1 end;
  if v_item.cancel_requested_at is not null then
    if not animus.try_lock_tree(p_id) then return false; end if;
    perform animus.end_work(p_id, 'cancelled', animus.cancel_error(v_item.cancel_reason), 'lost');
    return true;
  end if;
  if p_alone and v_deaths >= (case when p_proved then 2 else greatest(2 * p_max, case when v_item.state = 'claimed' then 10 else 2 end) end) then
    if not animus.try_lock_tree(p_id) then return false; end if;
    update animus.work_items set deaths = v_deaths, died_at = p_now, died_at_turn = v_item.turns, suspect_of = null, alone_until = null where id = p_id;
    perform animus.end_work(p_id, 'dead', jsonb_build_object('code', 'work.poison', 'message',
      format('%s daemons ended while they ran this work, the last one while it ran nothing else%s; it is not claimed again', v_deaths,
        case when p_proved then ' and its event loop was blocked' else '' end)), 'lost');
    -- That explains the end of the daemon before: what else it held is not suspected any more.
    update animus.work_items w set suspect_of = null, alone_until = null, deaths = greatest(0, w.deaths - 1)
     where w.id in (select o.id from animus.work_items o where o.suspect_of = v_item.suspect_of and o.state in ('queued', 'claimed', 'running')
                      for no key update skip locked);
    return true;
  end if;
  update animus.work_items set deaths = v_deaths, died_at = p_now, died_at_turn = v_item.turns, suspect_of = p_daemon_id, alone_until = null where id = p_id;
  perform animus.requeue(p_id, p_run_at, p_now, null);
  return true;
end $$;

-- Takes everything from a daemon whose event loop is blocked, before its leases end; its watchdog calls this. What it had only claimed goes back as if the
-- process had ended (return_unbegun). Other work can be claimed when these leases would have ended, or after p_pause: until then its commands may run. It is suspected.
-- Returns how many items it took.
-- Locks: the rows of the items, and skips those that others have locked; the row of the daemon. Raises: 57PA1.
create or replace function animus.give_up_daemon(p_daemon_id uuid, p_pause interval default null) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_with int := animus.held_by(p_daemon_id);
  v_item record;
  v_n    int := 0;
begin
  v_n := animus.return_unbegun(p_daemon_id, v_now);
  for v_item in
    select id, lease_expires_at from animus.work_items where state in ('claimed', 'running') and lease_owner = p_daemon_id order by id for no key update skip locked
  loop
    if animus.lose_item(v_item.id, p_daemon_id, v_with = 1, true, 2, coalesce(v_now + p_pause, v_item.lease_expires_at), v_now) then v_n := v_n + 1; end if;
  end loop;
  -- Should it go on after all, what it held stays suspected.
  update animus.daemons set died_at = 'infinity', tested_until = null, missing_since = null where id = p_daemon_id;
  return v_n;
end $$;

-- Records that the event loop of a daemon is blocked, or was (p_over), for that many seconds. Several reports about one block count once.
-- Locks: the row of the daemon. Raises: nothing.
create or replace function animus.report_block(p_daemon_id uuid, p_seconds float8, p_over boolean) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update animus.daemons set blocked_at = animus.now(), blocked_seconds = p_seconds, blocks = blocks + (stands_since is null)::int,
         stands_since = case when not p_over then coalesce(stands_since, animus.now()) end
   where id = p_daemon_id
$$;

-- Records that a daemon was asked to end: if it is killed from now on, its work is not suspected.
-- Locks: its row. Raises: nothing.
create or replace function animus.begin_ending(p_daemon_id uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update animus.daemons set ending_at = coalesce(ending_at, animus.now()) where id = p_daemon_id
$$;

-- Chooses what is tested next on a daemon: of the suspected items, the one that ended most daemons, then the one that did something last before
-- its daemon ended; null if there is none for it.
-- Locks: none. Raises: nothing.
create or replace function animus.next_suspect(p_daemon_id uuid, p_faculties jsonb, p_now timestamptz) returns uuid
language sql stable as $$
  select w.id from animus.work_items w
    cross join lateral (select p_faculties -> w.faculty as options) f
    left join lateral (
      select greatest(t.begun_at, t.recorded_at) as at from animus.foci o join animus.turns t on t.focus_id = o.id
       where o.work_item_id = w.id and o.ended_as is null order by t.turn desc limit 1) last on true
   where w.suspect_of is not null and w.state = 'queued' and not w.key_blocked and f.options ? 'suspects' and w.id <> all (animus.faulty_items(p_now))
     and (w.updated_at < p_now - animus.host_grace(f.options) or not animus.left_to_its_host(w.id, p_daemon_id, p_now - animus.host_grace(f.options)))
     and not exists (select from animus.pauses p where p.faculty in (w.faculty, '*') and (p.until is null or p.until > p_now))
     and (select count(*) from animus.work_items r where r.faculty = w.faculty and r.state in ('claimed', 'running')) < (f.options ->> 'max')::int
   order by w.deaths desc, last.at desc nulls last, w.id limit 1
$$;

-- The part of a claim that runs suspected items. claimed: the one that this daemon runs alone now. alone: why the daemon claims nothing else for
-- the moment: it 'tests' such an item, or 'clears' until it is empty to run one, one daemon at a time; or null. Suspected items are tested for a
-- minute after their daemon ended, each for at most twenty seconds for each daemon that it ended, or until it has made progress. What is left
-- then runs with others again, so that the end of a daemon never holds up the queue for longer. At most half of the
-- daemons (but at least one) test at the same time; the others keep working on the queue.
-- Locks: animus.claim_turn; the rows of the items, and skips those that others have locked; rows of daemons. Raises: nothing.
create or replace function animus.test_suspects(
  p_daemon_id uuid, p_faculties jsonb, p_now timestamptz, p_expires_at timestamptz, out claimed uuid[], out alone text)
language plpgsql as $$
declare
  v_id   uuid;
  v_mine record;
  v_live int;
begin
  lock table animus.claim_turn in share update exclusive mode;  -- as in offer_freed_keys
  claimed := '{}';
  alone := null;
  update animus.work_items u set suspect_of = null, alone_until = null, deaths = case when e.returned then greatest(0, u.deaths - 1) else u.deaths end
    from (select w.id, d.seen_at > d.died_at as returned from animus.work_items w left join animus.daemons d on d.id = w.suspect_of
           where w.suspect_of is not null and w.state = 'queued' and w.id <> all (animus.faulty_items(p_now)) and w.faculty <> all (animus.faulty_faculties(p_now)) and (d.id is null or d.tested_until < p_now or d.seen_at > d.died_at
                -- Only daemons are left of a version that does not test.
                or d.tested_until is null and w.updated_at < p_now - interval '10 minutes')
             for no key update of w skip locked) e
   where u.id = e.id;

  select w.id, w.turns > w.died_at_turn + 1 or coalesce(w.alone_until, p_now) <= p_now as passed into v_mine from animus.work_items w
   where w.suspect_of is not null and w.state in ('claimed', 'running') and w.lease_owner = p_daemon_id limit 1;
  if found then
    if v_mine.passed then
      perform from animus.work_items where id = v_mine.id for no key update skip locked;
      if found then update animus.work_items set suspect_of = null, alone_until = null where id = v_mine.id; else alone := 'tests'; end if;
    else
      alone := 'tests';
    end if;
  end if;
  if alone is not null then return; end if;

  v_id := animus.next_suspect(p_daemon_id, p_faculties, p_now);
  if v_id is null then return; end if;
  select count(*) into v_live from animus.daemons
   where seen_at > p_now - interval '1 minute' and stopped_at is null and ending_at is null and missing_since is null and stands_since is null;
  if (select count(distinct lease_owner) from animus.work_items
       where suspect_of is not null and state in ('claimed', 'running') and lease_expires_at > p_now) >= greatest(1, v_live / 2) then
    return;
  end if;
  update animus.daemons set tested_until = p_now + interval '1 minute'
   where tested_until is null and id in (select w.suspect_of from animus.work_items w where w.suspect_of is not null and w.state = 'queued');
  if animus.held_by(p_daemon_id) > 0 then
    if exists (select from animus.daemons where id <> p_daemon_id and makes_room_at > p_now - interval '3 seconds')
       or exists (select from animus.work_items where suspect_of is not null and state in ('claimed', 'running') and lease_expires_at > p_now) then
      return;
    end if;
    update animus.daemons set makes_room_at = p_now where id = p_daemon_id;
    alone := 'clears';
    return;
  end if;
  select t.claimed into claimed from animus.claim_take(array[v_id], p_daemon_id, p_faculties, p_now, p_expires_at) t;
  if claimed <> '{}' then alone := 'tests'; end if;
  update animus.work_items set alone_until = p_now + deaths * interval '20 seconds' where id = any (claimed);
  update animus.daemons set makes_room_at = null where id = p_daemon_id and makes_room_at is not null;
end $$;
