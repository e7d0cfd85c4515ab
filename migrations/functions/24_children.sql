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
    perform animus.raise('WA004', format('%s is not a child of this work: use the ids that spawn_child_work returned', v_wrong), v_id);
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
    perform animus.raise('WA004', format('a child was merged into %s, which waits for this work or may come to: both would wait forever. '
      'Go on without its result, or spawn the child with another dedup_key',
      coalesce('work item ' || animus.shown_in(p_id, v_through), 'another work item')), p_id);
  end if;
end $$;
