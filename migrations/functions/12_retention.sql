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
-- foreign key refers to is skipped as a whole. Plans use indexes whatever the statistics say: a plan that was made while the
-- tables were small would read all of them for every item.
-- Locks: animus.retention_turn; the rows of the items, none of a tree of which others have one locked. Raises: nothing.
create or replace function animus.prune_work(
  p_older_than interval, p_limit int default 200, inout after_at timestamptz default null, inout after_id uuid default null, out deleted int)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_before timestamptz := animus.now() - p_older_than;
  v_at     timestamptz := after_at;
  v_id     uuid := after_id;
  v_roots  uuid[] := '{}';
  v_items  int := 0;
  v_looked int := 0;
  v_full   boolean := false;
  v_tree   record;
begin
  after_at := null; after_id := null;
  if not animus.try_retention() then return; end if;
  -- A deferred foreign key would fail at the commit and undo the whole batch.
  set constraints all immediate;
  for v_tree in select * from animus.old_trees(v_before, p_limit, v_at, v_id) loop
    -- The batch is full: the next call begins with this tree.
    v_full := v_items > 0 and v_items + v_tree.items > p_limit;
    exit when v_full;
    if v_tree.items > 0 then
      v_roots := v_roots || v_tree.id;
      v_items := v_items + v_tree.items;
    end if;
    -- Larger than a batch: the next call continues with it, unless nothing of it can be deleted.
    if v_items > p_limit then
      deleted := animus.delete_trees(animus.lock_leaves(v_tree.id, p_limit));
      if deleted = 0 then after_at := v_tree.resolved_at; after_id := v_tree.id; else after_at := v_at; after_id := v_id; end if;
      return;
    end if;
    v_looked := v_looked + 1;
    v_at := v_tree.resolved_at;
    v_id := v_tree.id;
  end loop;
  deleted := animus.delete_trees(animus.lock_trees(v_roots, v_before));
  if v_full or v_looked = p_limit then after_at := v_at; after_id := v_id; end if;
end $$;

-- Returns the next p_limit trees whose root was resolved before p_before, in order, with their number of items: p_limit + 1 for larger ones, 0 for
-- trees to skip, which are in use or were recorded within the last hour as referenced.
-- Locks: none. Raises: nothing.
create or replace function animus.old_trees(p_before timestamptz, p_limit int, p_after_at timestamptz, p_after_id uuid)
returns table (id uuid, resolved_at timestamptz, items int)
language plpgsql stable as $$
declare
  v_kept timestamptz := animus.now() - interval '1 hour';
begin
  return query
  select r.id, r.resolved_at, case
           when exists (select from animus.work_items d where d.root_id = r.id and d.depth > 0 and (d.resolved_at is null or d.resolved_at >= p_before)) then 0
           -- Items of a conversation are kept with it (prune_conversations).
           when exists (select from animus.chat_messages m where m.work_item_id = r.id) then 0
           when exists (select from animus.retention_kept k where k.table_name = 'animus.work_items' and k.id = r.id::text and k.seen_at > v_kept) then 0
           else 1 + (select count(*)::int from (select from animus.work_items d where d.root_id = r.id and d.depth > 0 limit p_limit) others)
         end
    from (select w.id, w.resolved_at from animus.work_items w
           where w.resolved_at < p_before and w.depth = 0
             and w.resolved_at >= coalesce(p_after_at, '-infinity') and (p_after_id is null or (w.resolved_at, w.id) > (p_after_at, p_after_id))
           order by w.resolved_at, w.id limit p_limit) r
   order by r.resolved_at, r.id;
end $$;

-- Locks all items of trees and returns them, without those of trees that somebody uses: an item is locked, open, ended since
-- p_before, or has got a child since the trees were read (a child that is being inserted holds a lock on its parent).
-- Locks: the rows of the items, and does not wait. Raises: nothing.
create or replace function animus.lock_trees(p_roots uuid[], p_before timestamptz) returns uuid[]
language plpgsql as $$
declare
  v_wanted uuid[];
  v_locked uuid[];
  v_used   uuid[];
begin
  v_wanted := p_roots || array(select id from animus.work_items where root_id = any (p_roots) and depth > 0);
  v_locked := array(select id from animus.work_items where id = any (v_wanted) and resolved_at < p_before for update skip locked);
  v_used := array(
    select w.root_id from animus.work_items w where w.id = any (v_wanted) and not w.id = any (v_locked)
    union select c.root_id from animus.work_items c where c.parent_id = any (v_locked) and not c.id = any (v_wanted));
  if v_used = '{}' then return v_locked; end if;
  return array(select id from animus.work_items where id = any (v_locked) and not root_id = any (v_used));
end $$;

-- Locks the deepest items of a tree, at most p_limit, and returns them; none if one of them is locked or has gained a child since they were read.
-- Locks: the rows of the items, and does not wait. Raises: nothing.
create or replace function animus.lock_leaves(p_root uuid, p_limit int) returns uuid[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_wanted uuid[];
  v_locked uuid[];
begin
  v_wanted := array(select id from animus.work_items where root_id = p_root and depth > 0 order by depth desc, id limit p_limit);
  v_locked := array(select id from animus.work_items where id = any (v_wanted) and resolved_at is not null for update skip locked);
  if cardinality(v_locked) < cardinality(v_wanted)
     or exists (select from animus.work_items where parent_id = any (v_locked) and not id = any (v_locked)) then
    return '{}';
  end if;
  return v_locked;
end $$;

-- Deletes whole trees, or the leaves of one, and returns the number of items. If another table's foreign key refers to a row of them, each half is
-- tried by itself, down to the tree that is referenced: it is kept and recorded.
-- What must outlive an item (a digest of it) has its place before the delete: one statement for all of p_ids, undone where the delete is refused.
-- Locks: the rows. Raises: nothing.
create or replace function animus.delete_trees(p_ids uuid[]) returns int
language plpgsql as $$
declare
  v_roots  uuid[];
  v_first  uuid[];
  v_schema text;
  v_table  text;
  v_name   text;
begin
  if p_ids = '{}' then return 0; end if;
  begin
    delete from animus.work_items where id = any (p_ids);
    delete from animus.retention_kept where table_name = 'animus.work_items' and id = any (p_ids::text[]);
    return cardinality(p_ids);
  exception when foreign_key_violation or restrict_violation then
    get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
  end;
  v_roots := array(select distinct root_id from animus.work_items where id = any (p_ids));
  if cardinality(v_roots) = 1 then
    perform animus.note_kept('animus.work_items', v_roots[1]::text, format('%s.%s (%s)', v_schema, v_table, v_name));
    return 0;
  end if;
  v_first := array(select id from animus.work_items where id = any (p_ids) and root_id = any (v_roots[1 : cardinality(v_roots) / 2]));
  return animus.delete_trees(v_first) + animus.delete_trees(array(select unnest(p_ids) except select unnest(v_first)));
end $$;

drop function if exists animus.tree_is_in_use(uuid, timestamptz);
