-- Retention: each call removes one small batch in its own short transaction, waits for no lock, and is repeated until
-- nothing is left. Calls are serialised: a call that finds another running returns null.

-- Takes the retention lock until the end of the transaction; false when another session has it.
-- Locks: animus.retention_turn; does not wait. Raises: nothing.
create or replace function animus.try_retention() returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  lock table animus.retention_turn in share update exclusive mode nowait;
  return true;
exception when lock_not_available then
  return false;
end $$;

-- Records a row that cannot be removed because a foreign key of another table refers to it: it is skipped, retried after an hour,
-- and shown by `animus status`. p_id: * if no single row is known.
-- Locks: the row of the note. Raises: nothing.
create or replace function animus.note_kept(p_table text, p_id text, p_referenced_by text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into animus.retention_kept as k (table_name, id, referenced_by, seen_at) values (p_table, p_id, p_referenced_by, animus.now())
  on conflict (table_name, id) do update set referenced_by = excluded.referenced_by, seen_at = excluded.seen_at
$$;

-- Returns whether a row was recorded within the last hour as referenced by a foreign key of another table.
-- Locks: none. Raises: nothing.
create or replace function animus.was_kept(p_table text, p_id text, p_now timestamptz) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from animus.retention_kept where table_name = p_table and id = p_id and seen_at > p_now - interval '1 hour')
$$;

-- Deletes up to p_limit items of trees whose every item was resolved more than p_older_than ago, with all dependent rows. A larger
-- tree is deleted leaves first, over several calls. after_at and after_id carry the position from call to call, so that old trees
-- with an open descendant are checked once per round: null to begin, null again at the end. A tree with a row that another table's
-- foreign key refers to is skipped as a whole.
-- Locks: animus.retention_turn; the rows of the items, none of a tree of which others have one locked. Raises: nothing.
create or replace function animus.prune_work(
  p_older_than interval, p_limit int default 200, inout after_at timestamptz default null, inout after_id uuid default null, out deleted int)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_before timestamptz := animus.now() - p_older_than;
  v_now    timestamptz := animus.now();
  v_root   record;
  v_ids    uuid[];
  v_looked int := 0;
  v_schema text;
  v_table  text;
  v_name   text;
begin
  if not animus.try_retention() then after_at := null; after_id := null; return; end if;
  -- A deferred foreign key would fail at the commit and undo the whole batch.
  set constraints all immediate;
  deleted := 0;
  for v_root in
    select w.id, w.resolved_at from animus.work_items w
     where w.resolved_at < v_before and w.depth = 0
       and w.resolved_at >= coalesce(after_at, '-infinity') and (after_id is null or (w.resolved_at, w.id) > (after_at, after_id))
     order by w.resolved_at, w.id limit p_limit
  loop
    if not animus.tree_is_in_use(v_root.id, v_before) and not animus.was_kept('animus.work_items', v_root.id::text, v_now) then
      -- The batch is full and the tree may have more items: the next call begins with it again.
      if deleted >= p_limit then return; end if;
      v_ids := animus.lock_leaves(v_root.id, p_limit - deleted);
      begin
        delete from animus.work_items where id = any (v_ids);
        delete from animus.retention_kept where table_name = 'animus.work_items' and id = any (v_ids::text[]);
        deleted := deleted + cardinality(v_ids);
      exception when foreign_key_violation or restrict_violation then
        get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
        perform animus.note_kept('animus.work_items', v_root.id::text, format('%s.%s (%s)', v_schema, v_table, v_name));
        v_ids := '{}';
      end;
      if cardinality(v_ids) > 0 and not v_root.id = any (v_ids) then return; end if;
    end if;
    v_looked := v_looked + 1;
    after_at := v_root.resolved_at;
    after_id := v_root.id;
  end loop;
  if v_looked < p_limit then after_at := null; after_id := null; end if;
end $$;

-- Returns whether an item of a tree is open, or ended after p_before.
-- Locks: none. Raises: nothing.
create or replace function animus.tree_is_in_use(p_root uuid, p_before timestamptz) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from animus.work_items where root_id = p_root and depth > 0 and (resolved_at is null or resolved_at >= p_before))
$$;

-- Locks the deepest items of a tree, at most p_limit, and returns them; locks none if one of them is locked. A child that
-- is being inserted holds a lock on its parent, so no parent of an unseen child is ever returned.
-- Locks: the rows of the items, and does not wait. Raises: nothing.
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

-- Deletes large outputs of items that were resolved more than p_older_than ago; null when another retention call is
-- running.
-- Locks: animus.retention_turn; the rows, and skips those that others have locked. Raises: nothing.
create or replace function animus.prune_artifacts(p_older_than interval, p_limit int default 200) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now    timestamptz := animus.now();
  v_before timestamptz := v_now - p_older_than;
  v_ids    uuid[];
  v_id     uuid;
  v_count  int := 0;
  v_schema text;
  v_table  text;
  v_name   text;
begin
  if not animus.try_retention() then return null; end if;
  set constraints all immediate;
  v_ids := array(
    select a.id from animus.artifacts a left join animus.foci f on f.id = a.focus_id join animus.work_items w on w.id = coalesce(a.work_item_id, f.work_item_id)
     where a.created_at < v_before and w.resolved_at < v_before and not animus.was_kept('animus.artifacts', a.id::text, v_now)
     order by a.created_at limit p_limit for update of a skip locked);
  begin
    delete from animus.artifacts where id = any (v_ids);
    return cardinality(v_ids);
  exception when foreign_key_violation or restrict_violation then null;  -- one of them: found below
  end;
  foreach v_id in array v_ids loop
    begin
      delete from animus.artifacts where id = v_id;
      v_count := v_count + 1;
    exception when foreign_key_violation or restrict_violation then
      get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
      perform animus.note_kept('animus.artifacts', v_id::text, format('%s.%s (%s)', v_schema, v_table, v_name));
    end;
  end loop;
  return v_count;
end $$;

-- Deletes archived messages of work and of the inbox, recorded runs of schedules, and settings of foci (not counted), from more than p_older_than
-- ago; null when
-- another retention call is running. If another table's foreign key refers to a row of one of these tables, that table is skipped and
-- recorded, and the others are processed.
-- Locks: animus.retention_turn; the rows. Raises: nothing.
create or replace function animus.prune_archives(p_older_than interval, p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_before timestamptz := animus.now() - p_older_than;
  v_sum    int := 0;
  v_count  int;
  v_schema text;
  v_table  text;
  v_name   text;
begin
  if not animus.try_retention() then return null; end if;
  set constraints all immediate;
  begin
    delete from pgmq.a_animus_work where msg_id in (select msg_id from pgmq.a_animus_work where archived_at < v_before order by archived_at limit p_limit);
    get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  exception when foreign_key_violation or restrict_violation then
    get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
    perform animus.note_kept('pgmq.a_animus_work', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
  end;
  begin
    delete from pgmq.a_animus_inbox where msg_id in (select msg_id from pgmq.a_animus_inbox where archived_at < v_before order by archived_at limit p_limit);
    get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  exception when foreign_key_violation or restrict_violation then
    get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
    perform animus.note_kept('pgmq.a_animus_inbox', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
  end;
  if animus.is_our_queue('inbox') then
    begin
      delete from pgmq.a_inbox where msg_id in (select msg_id from pgmq.a_inbox where archived_at < v_before order by archived_at limit p_limit);
      get diagnostics v_count = row_count; v_sum := v_sum + v_count;
    exception when foreign_key_violation or restrict_violation then
      get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
      perform animus.note_kept('pgmq.a_inbox', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
    end;
  end if;
  -- A week later than the foci that began with them; those of open foci are needed.
  delete from animus.focus_settings s where s.used_on < ((v_before - interval '7 days') at time zone 'UTC')::date
     and not exists (select from animus.foci f where f.ended_as is null and f.settings_id = s.id);
  begin
    delete from animus.schedule_runs where (schedule, due_at) in (
      select schedule, due_at from animus.schedule_runs where recorded_at < v_before order by recorded_at limit p_limit);
    get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  exception when foreign_key_violation or restrict_violation then
    get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
    perform animus.note_kept('animus.schedule_runs', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
  end;
  return v_sum;
end $$;

-- Deletes watches that ended, batches that ended 40 days ago, and daemons that have been gone for a week; null when another retention call is running.
-- Locks: animus.retention_turn; the rows, and skips those that others have locked. Raises: nothing.
create or replace function animus.prune_registers(p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_sum   int := 0;
  v_count int;
  v_schema text;
  v_table  text;
  v_name   text;
begin
  if not animus.try_retention() then return null; end if;
  set constraints all immediate;
  delete from animus.watches where work_item_id in (select work_item_id from animus.watches where until < v_now order by until limit p_limit for update skip locked);
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  delete from animus.retention_kept where seen_at < v_now - interval '1 day';
  begin
    delete from animus.batches where id in (
      select id from animus.batches where state = 'ended' and ended_at < v_now - interval '40 days' order by ended_at limit p_limit for update skip locked);
    get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  exception when foreign_key_violation or restrict_violation then
    get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
    perform animus.note_kept('animus.batches', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
  end;
  begin
    delete from animus.daemons where id in (
      select id from animus.daemons where coalesce(stopped_at, seen_at) < v_now - interval '7 days' and seen_at < v_now - interval '7 days' limit p_limit for update skip locked);
    get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  exception when foreign_key_violation or restrict_violation then
    get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
    perform animus.note_kept('animus.daemons', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
  end;
  return v_sum;
end $$;
