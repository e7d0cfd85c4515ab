-- What an end means for the items that wait for it and for those below it: which rows are locked, and who is woken. Lock order: as in
-- 24_children.sql.

-- Returns the items that wait for at least one of the items. An open item is flagged when another begins to wait for it.
-- Locks: none. Raises: nothing.
create or replace function animus.waiters_of(p_ids uuid[]) returns uuid[]
language sql stable set jit = off set enable_seqscan = off set enable_bitmapscan = on as $$
  select coalesce(array_agg(distinct w.work_item_id), '{}') from animus.waits w
   where w.kind = 'children' and w.resolved_at is null
     and w.targets && array(select i.id from animus.work_items i where i.id = any (p_ids) and i.awaited)
$$;

-- Returns whether a wait for children is over: one of the targets has ended, or all. A deleted target had ended.
-- Locks: none. Raises: nothing.
create or replace function animus.children_ended(p_targets uuid[], p_mode text) returns boolean
language sql stable as $$
  select case when p_mode = 'any' then o.open < cardinality(p_targets) else o.open = 0 end
    from (select count(*) as open from animus.work_items w where w.id = any (p_targets) and w.resolved_at is null) o
$$;

-- Locks items that are going to end, together with those that wait for them, in the order of their ids. Raises 57PA1 if one of them stays locked for
-- p_tries fifths of a second.
-- Locks: the rows of the items. Raises: 57PA1.
create or replace function animus.lock_to_end(p_ids uuid[], p_tries int default 1) returns void
language plpgsql as $$
declare
  v_wanted uuid[];
begin
  loop
    v_wanted := p_ids || animus.waiters_of(p_ids);
    begin
      perform animus.lock_work(v_wanted, p_tries);
      -- Nobody can begin to wait for a locked item, and waits that began before are visible now.
      if animus.all_in(animus.waiters_of(p_ids), v_wanted) then return; end if;
      -- Releases the locks of this attempt: another one may come before them in the order. Not WA000, which would stand for its whole class.
      raise exception using errcode = 'WA00R';
    exception when sqlstate 'WA00R' then null;
    end;
  end loop;
end $$;

-- Locks items that are going to end together with everything that ends with them (their open descendants, also below ended ones, not detached ones) and
-- with those that wait for any of these. Returns the open descendants. Raises 57PA1 if one of them stays locked for p_tries fifths of a
-- second.
-- Locks: the rows of the items. Raises: 57PA1.
create or replace function animus.lock_tree_to_end(p_ids uuid[], p_tries int default 1) returns uuid[]
language plpgsql as $$
declare
  v_open uuid[];
  v_held boolean := false;
begin
  -- The usual case, which costs a tenth: nothing is below them, and nobody waits for them.
  if animus.end_alone(p_ids) then
    if cardinality(p_ids) = 1 then
      perform from animus.work_items where id = p_ids[1] for no key update skip locked;
      v_held := found;
    else
      perform animus.lock_work(p_ids, p_tries);
      v_held := true;
    end if;
  end if;
  if v_held then
    if animus.end_alone(p_ids) then return '{}'; end if;
    -- Not any more. The rows of others may come before these in the order, so nothing waits for them.
    v_open := animus.open_descendants(p_ids);
    if animus.lock_free(v_open || animus.waiters_of(v_open || p_ids)) = '{}' and animus.all_in(animus.open_descendants(p_ids), v_open) then return v_open; end if;
    perform animus.raise('57PA1', format('what ends with work item %s, or waits for it, is locked by another transaction', p_ids[1]), p_ids[1], 'try again');
  end if;
  loop
    v_open := animus.open_descendants(p_ids);
    begin
      perform animus.lock_to_end(v_open || p_ids, p_tries);
      -- A child may have been committed while this waited for a lock.
      if animus.all_in(animus.open_descendants(p_ids), v_open) then return v_open; end if;
      raise exception using errcode = 'WA00R';
    exception when sqlstate 'WA00R' then null;
    end;
  end loop;
end $$;

drop function if exists animus.lock_tree_to_end(uuid, int);

-- Returns whether the items have no children and no other item waits for them. An item is flagged, under its row lock, when another begins to wait for it.
-- Locks: none. Raises: nothing.
create or replace function animus.end_alone(p_ids uuid[]) returns boolean
language plpgsql as $$
begin
  return not exists (select from animus.work_items w where w.id = any (p_ids) and w.awaited)
     and not exists (select from animus.work_items c where c.parent_id = any (p_ids));
end $$;

-- Returns whether all ids are among others. The operator <@ compares each with each, which takes hours for a hundred thousand.
-- Locks: none. Raises: nothing.
create or replace function animus.all_in(p_ids uuid[], p_among uuid[]) returns boolean
language sql immutable as $$ select p_ids = '{}' or not exists (select unnest(p_ids) except select unnest(p_among)) $$;

-- Checks the lease of an item as hold_lease does. If a cancel of it was requested, or p_ends, everything that ends with it is locked, too: for
-- callers that end it then.
-- Locks: the item's row, as hold_lease; if it is going to end, as lock_tree_to_end. Raises: WA001, WA003, 57PA1.
create or replace function animus.hold_to_cancel(p_id uuid, p_token bigint, p_ends boolean default false) returns animus.held_work
language plpgsql as $$
declare
  v_ends boolean;
  v_held animus.held_work;
begin
  loop
    v_ends := exists (select from animus.work_items w
                       where w.id = p_id and w.lease_token = p_token and w.resolved_at is null and (p_ends or w.cancel_requested_at is not null));
    begin
      if v_ends then perform animus.lock_tree_to_end(array[p_id]); end if;
      v_held := animus.hold_lease(p_id, p_token);
      if v_ends or v_held.cancel_requested_at is null then return v_held; end if;
      raise exception using errcode = 'WA00R';
    exception when sqlstate 'WA00R' then null;
    end;
  end loop;
end $$;

-- Returns whether this transaction has locked one of the rows: a statement that skips locked rows keeps the lock of a row that changed while it
-- looked, and does not return it. The caller must then not wait for rows that come earlier in the order.
-- Locks: none. Raises: nothing.
create or replace function animus.holds_any(p_ids uuid[]) returns boolean
language sql stable as $$
  select exists (select from animus.work_items w where w.id = any (p_ids) and w.xmax = pg_current_xact_id_if_assigned()::xid)
$$;

-- Locks the same items as lock_tree_to_end, without waiting; false when one of them is locked. The caller has locked the item.
-- Locks: the rows of the items. Raises: nothing.
create or replace function animus.try_lock_tree(p_id uuid) returns boolean
language plpgsql as $$
declare
  v_ending uuid[] := animus.open_descendants(array[p_id]) || p_id;
begin
  return animus.lock_free(v_ending || animus.waiters_of(v_ending)) = '{}';
end $$;

-- Locks those of the items that no other transaction has locked, and returns the others.
-- Locks: the rows of the items, and skips those that others have locked. Raises: nothing.
create or replace function animus.lock_free(p_ids uuid[]) returns uuid[]
language plpgsql as $$
begin
  return array(
    select unnest(p_ids) except
    select f.id from (select w.id from animus.work_items w where w.id = any (p_ids) order by w.id for no key update skip locked) f);
end $$;

-- Locks items that a batch of completions has skipped, with those that wait for them, and returns the items that cannot be completed now. Waits a
-- fifth of a second at most, and not at all if the caller has ended others (p_ended_some): their rows may come later in the order.
-- Locks: the rows of the items. Raises: nothing.
create or replace function animus.lock_skipped(p_ids uuid[], p_ended_some boolean) returns uuid[]
language plpgsql as $$
declare
  v_wanted uuid[] := p_ids || animus.waiters_of(p_ids);
  v_stuck  uuid[];
begin
  v_stuck := case when p_ended_some or animus.holds_any(p_ids) then animus.lock_free(v_wanted) else animus.lock_soon(v_wanted) end;
  return array(
    select i.id from unnest(p_ids) i (id)
     where i.id = any (v_stuck) or not animus.waiters_of(array[i.id]) <@ v_wanted or animus.waiters_of(array[i.id]) && v_stuck);
end $$;

-- Returns the open descendants of items, also those below ended ones, without detached ones and what is below these. Work into which a child was
-- merged does not belong to them.
-- Locks: none. Raises: nothing.
create or replace function animus.open_descendants(p_ids uuid[]) returns uuid[]
language sql stable as $$
  select coalesce(array_agg(w.id order by w.id), '{}') from animus.work_items w where w.id = any (animus.descendants(p_ids)) and w.resolved_at is null
$$;

drop function if exists animus.open_descendants(uuid);

-- Resolves the waits that are over because of these ends, and wakes their items; follows the ends of answers (35_answers.sql). The callers have locked those that wait, in the order of their ids. If
-- another transaction has locked one of them nevertheless, this does not wait for it.
-- Locks: the rows of the items that wait, without waiting. Raises: 57PA1.
create or replace function animus.wake_waiters(p_ids uuid[], p_now timestamptz) returns void
language plpgsql as $$
declare
  v_waiters uuid[] := animus.waiters_of(p_ids);
  v_stuck   uuid[];
  v_over    uuid[];
  v_waiter  record;
begin
  perform animus.end_answers(p_ids, p_now);
  if v_waiters = '{}' then return; end if;
  v_stuck := animus.lock_free(v_waiters);
  if v_stuck <> '{}' then
    perform animus.raise('57PA1', format('%s waits for this one and is locked by another transaction', animus.name_work(v_stuck[1])), animus.shown_work(v_stuck[1]), 'try again');
  end if;
  with over as (
    update animus.waits w set resolved_at = p_now, result = '{"children_ended": true}'
     where w.work_item_id = any (v_waiters) and w.kind = 'children' and w.resolved_at is null and w.targets && p_ids
       and animus.children_ended(w.targets, w.mode)
    returning w.work_item_id)
  select array_agg(o.work_item_id) into v_over from over o;
  for v_waiter in select i.id, i.state from animus.work_items i where i.id = any (v_over) order by i.id loop
    perform animus.wake_if_resolved(v_waiter.id, v_waiter.state, p_now);
  end loop;
end $$;

drop function if exists animus.actor_may_see(text, text);
