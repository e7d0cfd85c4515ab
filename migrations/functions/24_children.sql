-- Child work: what a focus spawns and waits for, and which items are woken when it ends.
--
-- Lock order: a transaction that waits for the rows of several items locks them in the order of their ids: an item that ends together with those that
-- wait for it, and an item that begins to wait together with its targets. So an end either sees a wait, or the wait sees the end. Every other
-- lock is tried without waiting, and the transaction ends with 57PA1 if it fails.

-- A function with fewer columns cannot be replaced.
do $$
declare
  v_function regprocedure := to_regprocedure('animus.spawn_child_work(uuid, bigint, text, text, text, jsonb, text, int, text, boolean, text, int, int)');
begin
  if (select not 'earlier' = any (p.proargnames) from pg_proc p where p.oid = v_function) then
    execute format('drop function %s', v_function);
  end if;
end $$;

-- Returns the oldest child that an attempt before the one of a focus spawned with these words, and that no call of this focus was given; not one that
-- died or was cancelled, or was merged into work that did.
-- Locks: none. Raises: nothing.
create or replace function animus.child_of_earlier_attempt(
  p_id uuid, p_focus_id uuid, p_faculty text, p_description text, p_params jsonb, p_skill text, p_detached boolean)
returns table (id uuid, state text, merged_into uuid)
language sql stable as $$
  select c.id, c.state, c.merged_into
    from animus.work_items c left join animus.work_items t on t.id = c.merged_into
   where c.parent_id = p_id and c.faculty = p_faculty and c.description = p_description and c.params = p_params
     and c.skill is not distinct from p_skill and coalesce(c.detached, false) = coalesce(p_detached, false)
     and (c.trigger_info ->> 'focus_id')::uuid = any (animus.earlier_attempts(p_focus_id))
     and c.state not in ('dead', 'cancelled') and (c.merged_into is null or t.state not in ('dead', 'cancelled'))
     and not exists (select from animus.tool_calls r
                      where r.focus_id = p_focus_id and r.name = 'spawn_child_work' and r.details ->> 'child' = c.id::text)
   order by c.id limit 1
$$;

-- Spawns child work for a focus, and returns its state: `merged` if active work had its key. If an attempt before has spawned the same, and it did not
-- die, that child is returned (`earlier`) and nothing is spawned. The child inherits the submitter and, where p_priority is null, the priority. p_detached: it is not cancelled with its parent. Refused beyond p_max_children items per parent (never more than 1,000) and
-- below p_max_depth levels (never more than 5).
-- Locks: the item's row, as hold_lease; the dedup key, until the end of the transaction; waits a fifth of a second at most for each.
-- Raises: WA001, WA003, WA004, 23514, 57PA1.
create or replace function animus.spawn_child_work(
  p_focus_id uuid, p_token bigint, p_call_id text, p_faculty text, p_description text, p_params jsonb, p_skill text, p_priority int, p_dedup_key text,
  p_detached boolean, p_trace_context text, p_max_children int, p_max_depth int, out id uuid, out state text, out merged_into uuid, out earlier boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
declare
  v_held   animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_most   int := least(p_max_children, 1000);
  v_parent record;
begin
  select e.id, e.state, e.merged_into into id, state, merged_into
    from animus.child_of_earlier_attempt(v_held.id, p_focus_id, p_faculty, p_description, p_params, p_skill, p_detached) e;
  earlier := found;
  if earlier then
    merged_into := animus.shown_in(v_held.id, merged_into);
    return;
  end if;
  select w.depth, w.priority, w.submitted_by into v_parent from animus.work_items w where w.id = v_held.id;
  if v_parent.depth >= least(p_max_depth, 5) then
    perform animus.raise('WA004', format('this work is %s levels below its root, and may spawn none: do the rest of it here', v_parent.depth), v_held.id);
  end if;
  if (select count(*) from (select from animus.work_items w where w.parent_id = v_held.id limit v_most) c) >= v_most then
    perform animus.raise('WA004', format('this work has spawned as many items as it may (%s): do the rest of it here', v_most), v_held.id);
  end if;
  begin
    insert into animus.work_items as w (faculty, description, params, skill, priority, dedup_key, parent_id, source, trigger_info, trace_context, detached)
    values (p_faculty, p_description, p_params, p_skill, coalesce(p_priority, v_parent.priority), p_dedup_key, v_held.id, 'parent',
            jsonb_build_object('focus_id', p_focus_id, 'call_id', p_call_id), p_trace_context, nullif(p_detached, false))
    returning w.id, w.state, w.merged_into into id, state, merged_into;
  exception when lock_not_available or deadlock_detected then
    perform animus.raise('57PA1', format('the dedup key %s is locked by another transaction', quote_literal(p_dedup_key)), v_held.id, 'try again');
  end;
  -- The work that it merged into was told it as the daemon's.
  if merged_into is not null then
    update animus.mailbox m set author = v_parent.submitted_by where m.work_item_id = spawn_child_work.merged_into and m.duplicate_id = spawn_child_work.id;
  end if;
  merged_into := animus.shown_in(v_held.id, merged_into);
  -- Everyone who may see the parent may see its children.
  update animus.work_items w set submitted_by = v_parent.submitted_by where w.id = spawn_child_work.id and w.submitted_by is distinct from v_parent.submitted_by;
end $$;

-- Locks a focus's item together with child work that it is going to wait for, and returns for each child what is waited for: the child, or the item into
-- which it was merged. No such item ends before the transaction does, and from then on its end looks for the wait. p_ids: children of the
-- item, or of the answers with which it goes on in a conversation; null: those that are open, and those whose end was not reported to this focus,
-- without detached ones. Refused if one of them may itself wait for this item.
-- Locks: animus.await_turn, if a child was merged; the rows of the item and of the targets; waits a fifth of a second at most for each.
-- Raises: WA001, WA003, WA004, 57PA1.
create or replace function animus.lock_children(p_focus_id uuid, p_token bigint, p_ids uuid[])
returns table (child_id uuid, target_id uuid, ended boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
declare
  v_id       uuid := (select f.work_item_id from animus.foci f where f.id = p_focus_id);
  v_parents  uuid[] := animus.items_of_chain(v_id);
  v_children uuid[] := coalesce(p_ids, animus.children_to_await(v_id, p_focus_id));
  v_targets  uuid[];
  v_foreign  uuid[];
  v_wrong    uuid;
begin
  select c.id into v_wrong from unnest(v_children) c (id)
   where not exists (select from animus.work_items w where w.id = c.id and w.parent_id = any (v_parents)) limit 1;
  if found then
    perform animus.raise('WA004', format('%s is no child of this work: use the ids that spawn_child_work returned', v_wrong), v_id);
  end if;
  select coalesce(array_agg(distinct coalesce(w.merged_into, w.id)), '{}') into v_targets from animus.work_items w where w.id = any (v_children);
  v_foreign := array(select t.id from unnest(v_targets) t (id)
                      where not exists (select from animus.work_items w where w.id = t.id and w.parent_id = v_id));
  if v_foreign <> '{}' then
    begin
      lock table animus.await_turn in share update exclusive mode;
    exception when lock_not_available or deadlock_detected then
      perform animus.raise('57PA1', 'another transaction begins to wait for merged work', v_id, 'try again');
    end;
  end if;
  perform animus.lock_work(v_targets || v_id);
  perform animus.hold_focus(p_focus_id, p_token);
  perform animus.refuse_cycle(v_id, v_foreign);
  update animus.work_items w set awaited = true where w.id = any (v_targets) and w.resolved_at is null and w.awaited is null;
  return query
    select c.id, t.id, coalesce(t.resolved_at is not null, true)
      from animus.work_items c left join animus.work_items t on t.id = coalesce(c.merged_into, c.id) where c.id = any (v_children) order by c.id;
end $$;

-- Returns the children of an item, and of the answers with which it goes on in a conversation, for which a focus of it may wait: open ones, and ended
-- ones whose end was not reported to it or to the foci of those answers. Detached ones are left out.
-- Locks: none. Raises: nothing.
create or replace function animus.children_to_await(p_id uuid, p_focus_id uuid) returns uuid[]
language plpgsql stable as $$
begin
  return (
    select coalesce(array_agg(c.id order by c.id), '{}')
      from animus.work_items c left join animus.work_items t on t.id = c.merged_into
     where c.parent_id = any (animus.items_of_chain(p_id)) and c.detached is not true
       and (c.resolved_at is null or t.id is not null and t.resolved_at is null
            or not exists (select from animus.tool_calls r
                            where r.focus_id = any (animus.chain_of(p_focus_id)) and r.name in ('await_child_work', 'check_child_work')
                              and r.details -> 'reported' ? c.id::text
                              and r.origin = 'model')));  -- what code was told, the model may not have seen
end $$;

-- Refuses a wait of an item for others that are not its own children, if one of them waits or could come to wait for it: by what it waits for now, or by
-- anything below it. The caller has locked animus.await_turn. What an item waits for below itself needs no check: a cycle has at least one
-- wait for an item elsewhere, and whichever of them begins last is refused here.
-- Locks: none. Raises: WA004.
create or replace function animus.refuse_cycle(p_id uuid, p_targets uuid[]) returns void
language plpgsql as $$
declare
  v_through uuid;
begin
  if p_targets = '{}' then return; end if;
  with recursive reached (id, start) as (
    select t.id, t.id from unnest(p_targets) t (id)
    union
    select e.id, r.start from reached r cross join lateral (
      select w.id from animus.work_items w where w.parent_id = r.id
      union all
      select t.id from animus.waits v cross join unnest(v.targets) t (id)
       where v.work_item_id = r.id and v.kind = 'children' and v.resolved_at is null) e)
  select r.start into v_through from reached r where r.id = p_id limit 1;
  if found then
    perform animus.raise('WA004', format('a child was merged into %s, which waits for this work or may come to: both would wait for ever. '
      'Go on without its result, or spawn the child with another dedup_key',
      coalesce('work item ' || animus.shown_in(p_id, v_through), 'another work item')), p_id);
  end if;
end $$;

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
