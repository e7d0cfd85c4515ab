-- Retention: each call removes one small batch in a short transaction of its own, waits for nobody, and is repeated until it
-- finds nothing more. One caller at a time: a call that meets another returns null.

create or replace function animus.try_retention() returns boolean
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select pg_try_advisory_xact_lock(hashtextextended('animus.retention', 0))
$$;

-- Deletes up to p_limit items of trees whose every item was resolved more than p_older_than ago, with all that hangs on them.
-- A tree larger than that goes leaves first, over several calls. after_at and after_id carry the place in the history from call
-- to call, so that old trees with an open descendant are looked at once per round: null to begin, null again at the end.
create or replace function animus.prune_work(
  p_older_than interval, p_limit int default 200, inout after_at timestamptz default null, inout after_id uuid default null, out deleted int)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_before timestamptz := animus.now() - p_older_than;
  v_root   record;
  v_ids    uuid[];
  v_looked int := 0;
begin
  if not animus.try_retention() then after_at := null; after_id := null; return; end if;
  deleted := 0;
  for v_root in
    select w.id, w.resolved_at from animus.work_items w
     where w.resolved_at < v_before and w.depth = 0
       and w.resolved_at >= coalesce(after_at, '-infinity') and (after_id is null or (w.resolved_at, w.id) > (after_at, after_id))
     order by w.resolved_at, w.id limit p_limit
  loop
    if not animus.tree_is_in_use(v_root.id, v_before) then
      -- Full with a tree that may have more: the next call begins with it again.
      if deleted >= p_limit then return; end if;
      v_ids := animus.lock_leaves(v_root.id, p_limit - deleted);
      delete from animus.work_items where id = any (v_ids);
      deleted := deleted + cardinality(v_ids);
      if cardinality(v_ids) > 0 and not v_root.id = any (v_ids) then return; end if;
    end if;
    v_looked := v_looked + 1;
    after_at := v_root.resolved_at;
    after_id := v_root.id;
  end loop;
  if v_looked < p_limit then after_at := null; after_id := null; end if;
end $$;

create or replace function animus.tree_is_in_use(p_root uuid, p_before timestamptz) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from animus.work_items where root_id = p_root and depth > 0 and (resolved_at is null or resolved_at >= p_before))
$$;

-- Locks the deepest items of a tree, at most p_limit, and returns them; none of it where somebody else holds one of them.
-- A child that is being inserted holds a lock on its parent, so no parent of an unseen child is ever returned.
create or replace function animus.lock_leaves(p_root uuid, p_limit int) returns uuid[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_wanted uuid[];
  v_locked uuid[];
begin
  select coalesce(array_agg(id), '{}') into v_wanted from (
    select id from (
      select id, depth from animus.work_items where root_id = p_root and depth > 0
      union all select id, depth from animus.work_items where id = p_root) tree
     order by depth desc, id limit p_limit) leaves;
  select coalesce(array_agg(id), '{}') into v_locked from (
    select id from animus.work_items where id = any (v_wanted) and resolved_at is not null for update skip locked) held;
  return case when cardinality(v_locked) = cardinality(v_wanted) then v_locked else '{}' end;
end $$;

-- Large outputs of items that were resolved more than p_older_than ago.
create or replace function animus.prune_artifacts(p_older_than interval, p_limit int default 200) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_before timestamptz := animus.now() - p_older_than;
  v_count  int;
begin
  if not animus.try_retention() then return null; end if;
  delete from animus.artifacts where id in (
    select a.id from animus.artifacts a join animus.foci f on f.id = a.focus_id join animus.work_items w on w.id = f.work_item_id
     where a.created_at < v_before and w.resolved_at < v_before order by a.created_at limit p_limit for update of a skip locked);
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- The messages of ended work and of the inbox, and what schedules did, from more than p_older_than ago.
create or replace function animus.prune_archives(p_older_than interval, p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_before timestamptz := animus.now() - p_older_than;
  v_sum    int := 0;
  v_count  int;
begin
  if not animus.try_retention() then return null; end if;
  delete from pgmq.a_work where msg_id in (select msg_id from pgmq.a_work where archived_at < v_before order by archived_at limit p_limit);
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  delete from pgmq.a_inbox where msg_id in (select msg_id from pgmq.a_inbox where archived_at < v_before order by archived_at limit p_limit);
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  delete from animus.schedule_runs where (schedule, due_at) in (
    select schedule, due_at from animus.schedule_runs where recorded_at < v_before order by recorded_at limit p_limit);
  get diagnostics v_count = row_count;
  return v_sum + v_count;
end $$;

-- Watches that ended, and daemons that have been gone for a week.
create or replace function animus.prune_registers(p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_sum   int := 0;
  v_count int;
begin
  if not animus.try_retention() then return null; end if;
  delete from animus.watches where work_item_id in (select work_item_id from animus.watches where until < v_now order by until limit p_limit for update skip locked);
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  delete from animus.daemons where id in (
    select id from animus.daemons where coalesce(stopped_at, seen_at) < v_now - interval '7 days' and seen_at < v_now - interval '7 days' limit p_limit for update skip locked);
  get diagnostics v_count = row_count;
  return v_sum + v_count;
end $$;
