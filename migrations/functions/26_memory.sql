-- Memories: what is to be known later, in three layers: of a task (a tree of work, with which it is deleted), of a project, and global.
-- A memory belongs to a place: layer, project or task, and whose it is. Lock order: the count of the place, then its memories by id.

-- Stores a memory, or merges it into the one of the same place that says the same, white space aside. p_item: the work that it comes from,
-- or for which it is; with p_token, its focus stores it (fenced). Whose it is: the item's submitter's; without an item, the actor's.
-- p_everybody: everybody's, by operators only. p_project: default for layer project: that of the item. p_ledger_seq: the entry of the
-- item's ledger it comes from, default the newest. Returns its id, and whether it was merged. A place that is full takes no more.
-- Locks: the item's row with a token, the place, the memory; waits a second at most. Raises: WA001, WA003, WA004, 42501, 57PA1.
create or replace function animus.store_memory(
  p_content text, p_kind text default 'fact', p_layer text default 'global', p_project text default null, p_tags text[] default '{}',
  p_metadata jsonb default '{}', p_item uuid default null, p_everybody boolean default false,
  p_token bigint default null, p_focus_id uuid default null, p_call_id text default null, p_ledger_seq int default null,
  out memory_id uuid, out merged boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
    update animus.memories m set kind = p_kind, tags = animus.join_tags(m.tags, p_tags), metadata = m.metadata || p_metadata, updated_at = v_now
     where m.id = memory_id;
  else
    perform animus.count_memories(v_place, 1);
    memory_id := animus.uuid_v7();
    insert into animus.memories (id, kind, content, metadata, created_at, layer, project, task, tags, submitted_by, digest, updated_at)
    values (memory_id, p_kind, p_content, p_metadata, v_now, v_place.layer, v_place.project, v_place.task, p_tags, v_place.submitted_by, v_digest, v_now);
  end if;
  perform animus.add_memory_source(memory_id, 'stored', v_now, p_item, p_focus_id, p_call_id, p_ledger_seq);
end $$;

-- Changes a memory: null leaves a part as it is. The text that it had is kept with its sources. A memory of the same place that says the
-- same is merged into it. p_item: the work that changes it, by its focus with p_token (fenced); without one, the actor changes it. Returns
-- its id, which is another one if the memory was merged before.
-- Locks: as store_memory. Raises: WA001, WA003, WA004, 42501, 57PA1.
create or replace function animus.update_memory(
  p_id uuid, p_content text default null, p_kind text default null, p_tags text[] default null, p_metadata jsonb default null,
  p_item uuid default null, p_token bigint default null, p_focus_id uuid default null, p_call_id text default null, p_ledger_seq int default null,
  out memory_id uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
  v_now := animus.now();
  p_tags := coalesce(animus.clean_tags(p_tags), v_memory.tags);
  perform animus.check_memory(coalesce(p_content, v_memory.content), coalesce(p_kind, v_memory.kind), coalesce(p_metadata, v_memory.metadata));
  v_digest := coalesce(animus.digest_memory(p_content), v_memory.digest);
  if v_digest <> v_memory.digest then
    select m.id into v_same from animus.memories m
     where m.task is not distinct from v_memory.task and m.project is not distinct from v_memory.project
       and m.submitted_by is not distinct from v_memory.submitted_by and m.layer = v_memory.layer and m.digest = v_digest and m.merged_into is null;
    if found then perform animus.merge_memory(memory_id, v_same, v_now); end if;
    perform animus.drop_embedding(memory_id);
  end if;
  update animus.memories m
     set content = coalesce(p_content, m.content), kind = coalesce(p_kind, m.kind), tags = p_tags, metadata = coalesce(p_metadata, m.metadata),
         digest = v_digest, updated_at = v_now,
         embedded_as = case when v_digest = m.digest then m.embedded_as end, embedding_problem = case when v_digest = m.digest then m.embedding_problem end
   where m.id = memory_id;
  perform animus.add_memory_source(memory_id, 'updated', v_now, p_item, p_focus_id, p_call_id, p_ledger_seq,
    case when p_content is distinct from v_memory.content and p_content is not null then v_memory.content end);
end $$;

-- Deletes a memory, with its sources, its embedding and what was merged into it. p_item: the work that forgets it, by its focus with p_token
-- (fenced); without one, the actor forgets it, which is recorded as a decision. Returns the id, which is another one if it was merged before.
-- Locks: as store_memory. Raises: WA001, WA003, WA004, 42501, 57PA1.
create or replace function animus.forget_memory(
  p_id uuid, p_reason text default '', p_item uuid default null, p_token bigint default null, out memory_id uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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

-- Sets how many memories a place of a layer may have, or (p_layer `submitter`) one submitter in all projects and globally, and returns the
-- earlier limit. Places that have more keep them and take no more.
-- Locks: the row of the setting. Raises: WA004, 42501.
create or replace function animus.set_memory_limit(p_layer text, p_limit int) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_before int := animus.memory_limit(p_layer);
begin
  perform animus.require_operator();
  if v_before is null or p_limit is null or p_limit < 0 then
    perform animus.raise('WA004', 'a limit is 0 or more, of task, project, global or submitter');
  end if;
  insert into animus.settings as s (key, value) values ('memory_limits', jsonb_build_object(p_layer, p_limit))
  on conflict (key) do update set value = s.value || excluded.value;
  return v_before;
end $$;

-- Returns how many memories a place of a layer may have: by default 200 per task, 2,000 per project and 5,000 global ones, for each submitter,
-- and 20,000 per submitter in all projects and globally.
-- Locks: none. Raises: nothing.
create or replace function animus.memory_limit(p_layer text) returns int
language sql stable as $$
  select coalesce((select (s.value ->> p_layer)::int from animus.settings s where s.key = 'memory_limits'),
                  case p_layer when 'task' then 200 when 'project' then 2000 when 'global' then 5000 when 'submitter' then 20000 end)
$$;

-- Returns whether somebody, by name, may read all work: a login that may read the table. A person and a login that no longer exists may not.
-- Locks: none. Raises: nothing.
create or replace function animus.actor_sees_all(p_actor text) returns boolean
language sql stable as $$
  select coalesce(not starts_with(p_actor, 'person:')
    and has_table_privilege(to_regrole(quote_ident(regexp_replace(p_actor, '^login:', '')))::oid, 'animus.work_items', 'select'), false)
$$;

-- Returns whether somebody, by name, is an operator, as may_operate does of the actor.
-- Locks: none. Raises: nothing.
create or replace function animus.actor_operates(p_actor text) returns boolean
language sql stable as $$
  select coalesce(not starts_with(p_actor, 'person:')
    and (pg_has_role(r.oid, (select nspowner from pg_namespace where nspname = 'animus'), 'member')
         or coalesce(pg_has_role(r.oid, to_regrole('animus_operator')::oid, 'member'), false)), false)
    from (select to_regrole(quote_ident(regexp_replace(p_actor, '^login:', '')))::oid) r (oid)
$$;

-- Returns the project of an item: the text `project` in its params, else in those of its root.
-- Locks: none. Raises: nothing.
create or replace function animus.project_of(p_item uuid) returns text
language sql stable as $$
  select left(coalesce(nullif(btrim(w.params ->> 'project'), ''), (select nullif(btrim(r.params ->> 'project'), '') from animus.work_items r where r.id = w.root_id)), 200)
    from animus.work_items w where w.id = p_item
$$;

-- Refuses an item that the actor may not see, or that does not exist: before anything is locked for it. Null is no item.
-- Locks: none. Raises: WA003.
create or replace function animus.require_seen_item(p_item uuid) returns void
language plpgsql stable as $$
begin
  if p_item is not null and not exists (
       select from animus.work_items w where w.id = p_item and (animus.may_see(w.submitted_by) or animus.may_operate())) then
    perform animus.raise('WA003', format('no work item %s', p_item), p_item);
  end if;
end $$;

-- Returns the place of a memory that the actor, or a focus, wants to store, and checks that it may.
-- Locks: the root of the item, so that the task is not deleted meanwhile. Raises: WA004, 42501.
create or replace function animus.place_of_memory(p_layer text, p_project text, p_item uuid, p_everybody boolean) returns animus.memory_place
language plpgsql as $$
declare
  v_item  record;
  v_place animus.memory_place;
begin
  select w.root_id, w.submitted_by into v_item from animus.work_items w where w.id = p_item;
  if p_everybody then perform animus.require_operator(); end if;
  v_place.layer := p_layer;
  v_place.submitted_by := case when p_everybody then null when p_item is not null then v_item.submitted_by else animus.actor() end;
  case coalesce(p_layer, '')
    when 'global' then null;
    when 'task' then
      if p_item is null then perform animus.raise('WA004', 'a memory of layer task needs the work item of the task'); end if;
      perform from animus.work_items where id = v_item.root_id for key share;
      v_place.task := v_item.root_id;
    when 'project' then
      v_place.project := coalesce(nullif(btrim(p_project), ''), animus.project_of(p_item));
      if v_place.project is null or length(v_place.project) > 200 then
        perform animus.raise('WA004', 'a memory of layer project needs the name of its project, of at most 200 characters: name it, or submit the work with "project" in its params');
      end if;
    else perform animus.raise('WA004', format('%s is no layer of memories', quote_nullable(p_layer)), null, 'one of task, project, global');
  end case;
  if p_project is not null and p_layer <> 'project' then
    perform animus.raise('WA004', format('a memory of layer %s has no project', p_layer), null, 'layer project');
  end if;
  return v_place;
end $$;

-- Checks the parts of a memory.
-- Locks: none. Raises: WA004.
create or replace function animus.check_memory(p_content text, p_kind text, p_metadata jsonb) returns void
language plpgsql as $$
begin
  if coalesce(p_content, '') !~ '[^[:space:]]' then
    perform animus.raise('WA004', 'a memory needs a text');
  end if;
  if octet_length(p_content) > 32768 then
    perform animus.raise('WA004', format('the memory has %s bytes; at most 32768 (32 KiB) are taken', octet_length(p_content)), null,
      'store what matters, and name the file or the work item that has the rest');
  end if;
  if coalesce(p_kind, '') !~ '^[a-z][a-z0-9_-]{0,49}$' then
    perform animus.raise('WA004', format('%s is no kind of memory', quote_nullable(left(p_kind, 100))), null,
      'a word of at most 50 lower-case letters, digits, - and _, such as fact, preference, procedure, lesson');
  end if;
  if coalesce(jsonb_typeof(p_metadata), '') <> 'object' or octet_length(p_metadata::text) > 8192 then
    perform animus.raise('WA004', 'the metadata of a memory is a JSON object of at most 8192 bytes');
  end if;
end $$;

-- Returns tags in lower case, without spaces around them, each once and in order; null for null.
-- Locks: none. Raises: WA004 for more than 20, and for one that is empty or has more than 100 characters.
create or replace function animus.clean_tags(p_tags text[]) returns text[]
language plpgsql as $$
declare
  v_tags text[];
begin
  if p_tags is null then return null; end if;
  if cardinality(p_tags) > 20 then
    perform animus.raise('WA004', format('%s tags are too many; a memory has at most 20', cardinality(p_tags)));
  end if;
  v_tags := array(select distinct lower(btrim(t)) as tag from unnest(p_tags) t order by tag);
  if exists (select from unnest(v_tags) t where coalesce(length(t), 0) not between 1 and 100) then
    perform animus.raise('WA004', 'a tag has 1 to 100 characters');
  end if;
  return v_tags;
end $$;

-- Returns the tags of two memories that become one: at most 20, those of the first before the others.
-- Locks: none. Raises: nothing.
create or replace function animus.join_tags(p_first text[], p_more text[]) returns text[]
language sql immutable parallel safe as $$
  select coalesce(array_agg(tag order by tag), '{}') from (
    select t.tag from unnest(p_first || p_more) with ordinality t (tag, n) group by t.tag order by min(t.n) limit 20) kept
$$;

-- Returns the digest of a text, white space aside; null for null.
-- Locks: none. Raises: nothing.
create or replace function animus.digest_memory(p_content text) returns bytea
language sql stable parallel safe as $$
  select sha256(convert_to(btrim(regexp_replace(p_content, '\s+', ' ', 'g')), 'UTF8'))
$$;

-- Locks a place, and creates its row.
-- Locks: the row of the place; waits a second at most. Raises: 57PA1.
create or replace function animus.lock_memory_place(p_place animus.memory_place) returns void
language plpgsql set lock_timeout = '1s' as $$
begin
  loop
    perform from animus.memory_counts c where c.task is not distinct from p_place.task and c.project is not distinct from p_place.project
        and c.submitted_by is not distinct from p_place.submitted_by and c.layer = p_place.layer for no key update;
    exit when found;
    insert into animus.memory_counts (layer, project, task, submitted_by, memories)
    values (p_place.layer, p_place.project, p_place.task, p_place.submitted_by, 0) on conflict do nothing;
  end loop;
exception when lock_not_available then
  perform animus.raise('57PA1', format('the memories of layer %s are locked by another transaction', p_place.layer), null, 'try again');
end $$;

-- Counts memories that a place gets or loses. The place is locked.
-- Locks: none that the caller does not have. Raises: WA004 if the place is full.
create or replace function animus.count_memories(p_place animus.memory_place, p_more int) returns void
language plpgsql as $$
declare
  v_count int;
  v_limit int;
begin
  update animus.memory_counts c set memories = greatest(c.memories + p_more, 0)
   where c.task is not distinct from p_place.task and c.project is not distinct from p_place.project
     and c.submitted_by is not distinct from p_place.submitted_by and c.layer = p_place.layer
  returning c.memories into v_count;
  if p_more <= 0 then return; end if;
  v_limit := animus.memory_limit(p_place.layer);
  if v_count > v_limit then
    perform animus.raise('WA004', case p_place.layer
        when 'global' then format('there are %s global memories', v_count - 1)
        when 'project' then format('project %s has %s memories', p_place.project, v_count - 1)
        else format('the task has %s memories', v_count - 1) end || format(', the most that layer %s may have: forget or update others first', p_place.layer), null,
      'an operator can raise the limit with animus.set_memory_limit');
  end if;
  -- Anybody can name as many projects as they like. Approximate: other places are not locked.
  v_limit := animus.memory_limit('submitter');
  if p_place.layer <> 'task' and p_place.submitted_by is not null
     and v_limit < (select sum(c.memories) from animus.memory_counts c where c.task is null and c.submitted_by = p_place.submitted_by) then
    perform animus.raise('WA004', format('%s has %s memories, the most that a submitter may have: forget or update others first', p_place.submitted_by, v_limit), null,
      'an operator can raise the limit with animus.set_memory_limit');
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

-- Adds to the sources of a memory: who did what to it. Of many, the first and the newest 50 are kept.
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
end $$;

-- Merges a memory into another of the same place, with its sources, tags and uses. It is not found any more; its id leads to the other.
-- Locks: both memories, by id; the place is locked. Raises: WA004.
create or replace function animus.merge_memory(p_into uuid, p_gone uuid, p_now timestamptz) returns void
language plpgsql as $$
declare
  v_gone animus.memories;
begin
  perform from animus.memories where id in (p_into, p_gone) order by id for no key update;
  select * into v_gone from animus.memories where id = p_gone and merged_into is null;
  if not found or p_into = p_gone then return; end if;
  update animus.memory_sources set memory_id = p_into where memory_id = p_gone;
  insert into animus.memory_sources (memory_id, action, replaced, merged_id, actor, created_at)
  values (p_into, 'merged', v_gone.content, p_gone, animus.actor(), p_now);
  update animus.memories set merged_into = p_into where merged_into = p_gone;
  update animus.memories set merged_into = p_into, embedded_as = null, updated_at = p_now where id = p_gone;
  update animus.memories m
     set tags = animus.join_tags(m.tags, v_gone.tags), uses = m.uses + v_gone.uses, used_at = greatest(m.used_at, v_gone.used_at),
         metadata = v_gone.metadata || m.metadata, created_at = least(m.created_at, v_gone.created_at)
   where m.id = p_into;
  perform animus.drop_embedding(p_gone);
  perform animus.count_memories(row(v_gone.layer, v_gone.project, v_gone.task, v_gone.submitted_by)::animus.memory_place, -1);
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
