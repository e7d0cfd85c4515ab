-- The places of memories: who may see and change what, what a memory may contain, and how many a place may have.

-- Sets how many memories a place of a layer may have, or (p_layer `submitter`) one submitter in all projects and globally, and returns the
-- earlier limit. Places above the new limit keep their memories and refuse more.
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

-- Refuses an item that the actor may not see, or that does not exist, before anything is locked for it. Null is accepted.
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
      if p_item is null then perform animus.raise('WA004', 'a memory of layer task needs a work item of the task'); end if;
      perform from animus.work_items where id = v_item.root_id for key share;
      v_place.task := v_item.root_id;
    when 'project' then
      v_place.project := coalesce(nullif(btrim(p_project), ''), animus.project_of(p_item));
      if v_place.project is null or length(v_place.project) > 200 then
        perform animus.raise('WA004', 'a memory of layer project needs the name of its project, of at most 200 characters: name it, or submit the work with "project" in its params');
      end if;
    else perform animus.raise('WA004', format('%s is not a layer of memories', quote_nullable(p_layer)), null, 'one of task, project, global');
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
    perform animus.raise('WA004', format('the memory has %s bytes; at most 32768 (32 KiB) are accepted', octet_length(p_content)), null,
      'store what matters, and name the file or the work item that has the rest');
  end if;
  if coalesce(p_kind, '') !~ '^[a-z][a-z0-9_-]{0,49}$' then
    perform animus.raise('WA004', format('%s is not a kind of memory', quote_nullable(left(p_kind, 100))), null,
      'a word of at most 50 lower-case letters, digits, - and _, such as fact, preference, procedure, lesson');
  end if;
  if coalesce(jsonb_typeof(p_metadata), '') <> 'object' or octet_length(p_metadata::text) > 8192 then
    perform animus.raise('WA004', 'the metadata of a memory is a JSON object of at most 8192 bytes');
  end if;
  if animus.json_problem(p_metadata) is not null then
    perform animus.raise('WA004', 'the metadata of a memory ' || animus.json_problem(p_metadata));
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

-- Returns the metadata of two memories that become one: of both, the second's before the first's; the second's alone where both together
-- are more than a memory may have.
-- Locks: none. Raises: nothing.
create or replace function animus.join_metadata(p_first jsonb, p_second jsonb) returns jsonb
language sql immutable parallel safe as $$
  select case when octet_length((p_first || p_second)::text) <= 8192 then p_first || p_second else p_second end
$$;

-- Returns the digest of a text, white space aside; null for null.
-- Locks: none. Raises: nothing.
create or replace function animus.digest_memory(p_content text) returns bytea
language sql stable parallel safe as $$
  select sha256(convert_to(btrim(regexp_replace(p_content, E'\\s+', ' ', 'g')), 'UTF8'))
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
