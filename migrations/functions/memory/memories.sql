-- Memories: texts for later work, in three layers: of a task (a tree of work, with which they are deleted), of a project, and global.
-- A memory belongs to a place: layer, project or task, and owner. Lock order: the count of the place, then its memories by id.

-- Stores a memory, or merges it into the one of the same place with the same text, white space aside. p_item: the work that it comes from,
-- or for which it is; with p_token, its focus stores it (fenced). Its owner is the item's submitter; without an item, the actor.
-- p_everybody: it belongs to everybody; operators only. p_project: default for layer project: that of the item. p_ledger_seq: the entry of the
-- item's ledger it comes from, default the newest. Returns its id, and whether it was merged. A full place refuses more.
-- Locks: the item's row with a token, the place, the memory; waits a second at most. Raises: WA001, WA003, WA004, 42501, 57PA1.
create or replace function animus.store_memory(
  p_content text, p_kind text default 'fact', p_layer text default 'global', p_project text default null, p_tags text[] default '{}',
  p_metadata jsonb default '{}', p_item uuid default null, p_everybody boolean default false,
  p_token bigint default null, p_focus_id uuid default null, p_call_id text default null, p_ledger_seq int default null,
  out memory_id uuid, out merged boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, daemon, gateway.
declare
  v_now    timestamptz;
  v_place  animus.memory_place;
  v_digest bytea;
begin
  perform animus.require_seen_item(p_item);
  if p_token is not null then perform animus.hold_lease(p_item, p_token); else p_focus_id := null; p_call_id := null; end if;
  v_place := animus.place_of_memory(p_layer, p_project, p_item, p_everybody);
  p_tags := animus.clean_tags(p_tags);
  perform animus.check_memory(p_content, p_kind, p_metadata);
  perform animus.lock_memory_place(v_place);
  v_now := animus.now();
  v_digest := animus.digest_memory(p_content);
  select m.id into memory_id from animus.memories m
   where m.task is not distinct from v_place.task and m.project is not distinct from v_place.project
     and m.submitted_by is not distinct from v_place.submitted_by and m.layer = v_place.layer and m.digest = v_digest and m.merged_into is null;
  merged := found;
  if merged then
    update animus.memories m set kind = p_kind, tags = animus.join_tags(m.tags, p_tags), metadata = animus.join_metadata(m.metadata, p_metadata), updated_at = v_now
     where m.id = memory_id;
  else
    perform animus.count_memories(v_place, 1);
    memory_id := animus.uuid_v7();
    insert into animus.memories (id, kind, content, metadata, created_at, layer, project, task, tags, submitted_by, digest, updated_at)
    values (memory_id, p_kind, p_content, p_metadata, v_now, v_place.layer, v_place.project, v_place.task, p_tags, v_place.submitted_by, v_digest, v_now);
  end if;
  perform animus.add_memory_source(memory_id, 'stored', v_now, p_item, p_focus_id, p_call_id, p_ledger_seq);
end $$;

-- Changes a memory: null leaves a part as it is. The text that it had is kept with its sources. A memory of the same place with the
-- same text is merged into it, and so is p_merge, a memory of the same place that says the same. p_item: the work that changes it, by its focus with
-- p_token (fenced); without one, the actor changes it. Returns its id, which is another one if the memory was merged before, and the
-- memories that were merged into it now.
-- Locks: as store_memory. Raises: WA001, WA003, WA004, 42501, 57PA1.
create or replace function animus.revise_memory(
  p_id uuid, p_content text default null, p_kind text default null, p_tags text[] default null, p_metadata jsonb default null,
  p_item uuid default null, p_token bigint default null, p_focus_id uuid default null, p_call_id text default null, p_ledger_seq int default null,
  p_merge uuid default null, out memory_id uuid, out merged_ids uuid[])
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, daemon, gateway.
declare
  v_now    timestamptz;
  v_memory animus.memories;
  v_digest bytea;
  v_same   uuid;
begin
  perform animus.require_seen_item(p_item);
  if p_token is not null then perform animus.hold_lease(p_item, p_token); else p_focus_id := null; p_call_id := null; end if;
  v_memory := animus.hold_memory(p_id, p_item);
  memory_id := v_memory.id;
  merged_ids := '{}';
  v_now := animus.now();
  if p_merge is not null then
    v_same := animus.require_mergeable(v_memory, p_merge, p_item);
    perform animus.merge_memory(memory_id, v_same, v_now, 'asked', p_item, p_focus_id);
    merged_ids := array[v_same];
    select * into v_memory from animus.memories m where m.id = memory_id;
  end if;
  p_tags := coalesce(animus.clean_tags(p_tags), v_memory.tags);
  perform animus.check_memory(coalesce(p_content, v_memory.content), coalesce(p_kind, v_memory.kind), coalesce(p_metadata, v_memory.metadata));
  v_digest := coalesce(animus.digest_memory(p_content), v_memory.digest);
  if v_digest <> v_memory.digest then
    select m.id into v_same from animus.memories m
     where m.task is not distinct from v_memory.task and m.project is not distinct from v_memory.project
       and m.submitted_by is not distinct from v_memory.submitted_by and m.layer = v_memory.layer and m.digest = v_digest and m.merged_into is null;
    if found then
      perform animus.merge_memory(memory_id, v_same, v_now, 'same_text', p_item, p_focus_id);
      merged_ids := merged_ids || v_same;
    end if;
    perform animus.drop_embedding(memory_id);
  end if;
  update animus.memories m
     set content = coalesce(p_content, m.content), kind = coalesce(p_kind, m.kind), tags = p_tags, metadata = coalesce(p_metadata, m.metadata),
         digest = v_digest, updated_at = v_now,
         embedded_as = case when v_digest = m.digest then m.embedded_as end, embedding_problem = case when v_digest = m.digest then m.embedding_problem end
   where m.id = memory_id;
  if num_nonnulls(p_content, p_kind, p_metadata) > 0 or p_tags is distinct from v_memory.tags or p_merge is null then
    perform animus.add_memory_source(memory_id, 'updated', v_now, p_item, p_focus_id, p_call_id, p_ledger_seq,
      case when p_content is distinct from v_memory.content and p_content is not null then v_memory.content end);
  end if;
end $$;

-- Changes a memory as revise_memory does, without merging another one that is named. Returns its id.
-- Locks: as store_memory. Raises: WA001, WA003, WA004, 42501, 57PA1.
create or replace function animus.update_memory(
  p_id uuid, p_content text default null, p_kind text default null, p_tags text[] default null, p_metadata jsonb default null,
  p_item uuid default null, p_token bigint default null, p_focus_id uuid default null, p_call_id text default null, p_ledger_seq int default null) returns uuid
language sql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, daemon, gateway.
  select r.memory_id from animus.revise_memory(p_id, p_content, p_kind, p_tags, p_metadata, p_item, p_token, p_focus_id, p_call_id, p_ledger_seq) r
$$;

-- Deletes a memory, with its sources, its embedding and what was merged into it. p_item: the work that forgets it, by its focus with p_token
-- (fenced); without one, the actor forgets it, which is recorded as a decision. Returns the id, which is another one if it was merged before.
-- Locks: as store_memory. Raises: WA001, WA003, WA004, 42501, 57PA1.
create or replace function animus.forget_memory(
  p_id uuid, p_reason text default '', p_item uuid default null, p_token bigint default null, out memory_id uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, daemon, gateway.
declare
  v_memory animus.memories;
begin
  perform animus.require_seen_item(p_item);
  if p_token is not null then perform animus.hold_lease(p_item, p_token); end if;
  v_memory := animus.hold_memory(p_id, p_item);
  memory_id := v_memory.id;
  delete from animus.memories m where m.id = memory_id;
  perform animus.count_memories(row(v_memory.layer, v_memory.project, v_memory.task, v_memory.submitted_by)::animus.memory_place, -1);
  if p_item is null then
    insert into animus.decisions (target, action, note, decided_by, created_at)
    values ('memory ' || memory_id, 'erase', animus.cut_text(coalesce(p_reason, ''), 500), animus.actor(), animus.now());
  end if;
end $$;

-- Finds a memory that the actor, or work for its submitter, may change; locks it and returns it. An id that was merged leads to the memory
-- it was merged into.
-- Locks: the place, then the memory; waits a second at most. Raises: WA003, WA004, 42501, 57PA1.
create or replace function animus.hold_memory(p_id uuid, p_item uuid) returns animus.memories
language plpgsql as $$
declare
  v_filter animus.memory_filter := animus.memory_filter_of(p_item, '{}');
  v_memory animus.memories;
begin
  select m.* into v_memory from animus.memories g join animus.memories m on m.id = coalesce(g.merged_into, g.id) where g.id = p_id;
  if found then
    perform animus.lock_memory_place(row(v_memory.layer, v_memory.project, v_memory.task, v_memory.submitted_by)::animus.memory_place);
    -- It may have been merged or deleted before the place was locked.
    select m.* into v_memory from animus.memories g join animus.memories m on m.id = coalesce(g.merged_into, g.id) where g.id = p_id for no key update of m;
  end if;
  -- Work may name another project than its own.
  if v_memory.project is not null then v_filter.projects := array[v_memory.project]; end if;
  if v_memory.id is null or not exists (select from animus.fitting_memories(v_filter) m where m.id = v_memory.id) then
    perform animus.raise('WA003', format('no memory %s', p_id), p_id);
  end if;
  if v_memory.submitted_by is distinct from v_filter.viewer
     and not (case when p_item is null then animus.may_operate() else animus.actor_operates(v_filter.viewer) end) then
    raise insufficient_privilege using message = format('memory %s belongs to somebody else, and only an operator may change it', p_id),
      hint = 'store a memory of your own';
  end if;
  return v_memory;
end $$;

-- Adds to the sources of a memory: who did what to it. The first and the newest 50 are kept.
-- Locks: none that the caller does not have. Raises: WA004 if the item has no such entry of its ledger.
create or replace function animus.add_memory_source(
  p_id uuid, p_action text, p_now timestamptz, p_item uuid, p_focus_id uuid, p_call_id text, p_ledger_seq int, p_replaced text default null) returns void
language plpgsql as $$
declare
  v_newest int;
begin
  select max(l.seq) into v_newest from animus.work_ledger l where l.work_item_id = p_item;
  if p_ledger_seq is not null and not exists (select from animus.work_ledger l where l.work_item_id = p_item and l.seq = p_ledger_seq) then
    perform animus.raise('WA004', format('the ledger has no entry %s', p_ledger_seq), p_item,
      case when v_newest is null then 'it is empty' else format('its entries are 1 to %s', v_newest) end);
  end if;
  insert into animus.memory_sources (memory_id, action, replaced, actor, work_item_id, faculty, focus_id, call_id, ledger_seq, created_at)
  values (p_id, p_action, p_replaced, case when p_focus_id is null then animus.actor() else animus.submitter_of(p_item) end, p_item,
          (select w.faculty from animus.work_items w where w.id = p_item), p_focus_id, p_call_id, coalesce(p_ledger_seq, v_newest), p_now);
  delete from animus.memory_sources s
   where s.memory_id = p_id and s.id < (select n.id from animus.memory_sources n where n.memory_id = p_id order by n.id desc offset 49 limit 1)
     and s.id > (select min(n.id) from animus.memory_sources n where n.memory_id = p_id);
  if found then update animus.memories m set sources_cut = true where m.id = p_id and not m.sources_cut; end if;
end $$;

-- Deletes the memories of tasks with their tasks: one statement for all items that a statement deletes.
-- Locks: the rows of the memories and of their places. Raises: what a foreign key of another table raises.
create or replace function animus.forget_tasks() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_tasks uuid[] := array(select id from deleted where depth = 0);
begin
  if v_tasks = '{}' then return null; end if;
  delete from animus.memories where merged_into is null and task = any (v_tasks);
  delete from animus.memory_counts where task = any (v_tasks);
  return null;
end $$;

create or replace trigger work_items_forget_tasks after delete on animus.work_items
  referencing old table as deleted for each statement execute function animus.forget_tasks();
