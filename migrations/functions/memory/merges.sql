-- Merges of memories: only of those with the same text, and of those of which somebody says that they are the same. Each can be undone.

-- Finds the memory that is to be merged into another, as hold_memory does, and checks that both are of one place. Returns its id.
-- Locks: as hold_memory; the place is locked already. Raises: WA003, WA004, 42501, 57PA1.
create or replace function animus.require_mergeable(p_into animus.memories, p_gone uuid, p_item uuid) returns uuid
language plpgsql as $$
declare
  v_gone animus.memories;
begin
  -- Before it is held, so that nobody locks two places.
  select m.* into v_gone from animus.memories g join animus.memories m on m.id = coalesce(g.merged_into, g.id) where g.id = p_gone;
  if (v_gone.layer, v_gone.project, v_gone.task, v_gone.submitted_by) is not distinct from (p_into.layer, p_into.project, p_into.task, p_into.submitted_by) then
    v_gone := animus.hold_memory(p_gone, p_item);
  elsif not exists (select from animus.fitting_memories(animus.memory_filter_of(p_item, '{}')) m where m.id = v_gone.id) then
    perform animus.raise('WA003', format('no memory %s', p_gone), p_gone);
  else
    perform animus.raise('WA004', format('memories %s and %s are of different layers, projects, tasks or owners, and are not merged', p_into.id, p_gone), null,
      'update one and forget the other');
  end if;
  if v_gone.id = p_into.id then
    perform animus.raise('WA004', format('%s and %s are already one memory', p_into.id, p_gone));
  end if;
  return v_gone.id;
end $$;

-- Merges a memory into another of the same place, with its sources, tags and uses. It is not found any more; its id leads to the other.
-- p_item and p_focus_id: the work that does it; without a focus, the actor.
-- Locks: both memories, by id; the place is locked. Raises: WA004.
drop function if exists animus.merge_memory(uuid, uuid, timestamptz);
create or replace function animus.merge_memory(
  p_into uuid, p_gone uuid, p_now timestamptz, p_reason text default 'asked', p_item uuid default null, p_focus_id uuid default null) returns void
language plpgsql as $$
declare
  v_gone      animus.memories;
  v_into      animus.memories;
  v_actor     text := case when p_focus_id is null then animus.actor() else animus.submitter_of(p_item) end;
  v_sources   bigint[];
  v_followers uuid[];
begin
  perform from animus.memories where id in (p_into, p_gone) order by id for no key update;
  select * into v_gone from animus.memories where id = p_gone and merged_into is null;
  if not found or p_into = p_gone then return; end if;
  -- Both were found before the place was locked: the other one may have been deleted.
  select * into v_into from animus.memories m where m.id = p_into and m.merged_into is null;
  if not found then return; end if;
  with moved as (update animus.memory_sources set memory_id = p_into where memory_id = p_gone returning id)
  select array_agg(id) into v_sources from moved;
  insert into animus.memory_sources (memory_id, action, replaced, merged_id, actor, work_item_id, faculty, focus_id, created_at)
  values (p_into, 'merged', v_gone.content, p_gone, v_actor, p_item, (select w.faculty from animus.work_items w where w.id = p_item), p_focus_id, p_now);
  with led as (update animus.memories set merged_into = p_into where merged_into = p_gone returning id)
  select array_agg(id) into v_followers from led;
  insert into animus.memory_merges (gone_id, into_id, reason, actor, work_item_id, merged_at, before, source_ids, followers)
  values (p_gone, p_into, p_reason, v_actor, p_item, p_now,
          jsonb_build_object('tags', v_into.tags, 'metadata', v_into.metadata, 'created_at', v_into.created_at), coalesce(v_sources, '{}'), coalesce(v_followers, '{}'));
  update animus.memories set merged_into = p_into, embedded_as = null, updated_at = p_now where id = p_gone;
  update animus.memories m
     set tags = animus.join_tags(m.tags, v_gone.tags), uses = m.uses + v_gone.uses, used_at = greatest(m.used_at, v_gone.used_at),
         metadata = animus.join_metadata(v_gone.metadata, m.metadata), created_at = least(m.created_at, v_gone.created_at), sources_cut = m.sources_cut or v_gone.sources_cut
   where m.id = p_into;
  perform animus.drop_embedding(p_gone);
  perform animus.count_memories(row(v_gone.layer, v_gone.project, v_gone.task, v_gone.submitted_by)::animus.memory_place, -1);
end $$;

-- Undoes a merge: the memory is found again, with its own text, tags and sources, and what it added to the other is removed again. For those who may
-- change both. p_id: the memory that was merged. Returns the memory that it was merged into. A merge that others were built on is undone after those.
-- Locks: the place, then the memories; waits a second at most. Raises: WA002, WA003, WA004, 42501, 57PA1.
create or replace function animus.unmerge_memory(p_id uuid, out memory_id uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, daemon, gateway.
declare
  v_now   timestamptz;
  v_into  animus.memories;
  v_gone  animus.memories;
  v_merge animus.memory_merges;
  v_same  uuid;
begin
  v_into := animus.hold_memory(p_id, null);
  memory_id := v_into.id;
  v_now := animus.now();
  perform from animus.memories where id in (v_into.id, p_id) order by id for no key update;
  select * into v_gone from animus.memories where id = p_id;
  select * into v_merge from animus.memory_merges where gone_id = p_id;
  if v_gone.merged_into is null or v_merge.gone_id is null then
    perform animus.raise('WA002', format('memory %s is not merged into another', p_id), p_id, 'animus memory merges lists those that are');
  end if;
  if v_merge.into_id <> v_into.id then
    perform animus.raise('WA002', format('memory %s, into which it was merged, was merged into %s later', v_merge.into_id, v_into.id), p_id,
      format('undo that first: animus memory unmerge %s', v_merge.into_id));
  end if;
  select m.id into v_same from animus.memories m
   where m.task is not distinct from v_gone.task and m.project is not distinct from v_gone.project
     and m.submitted_by is not distinct from v_gone.submitted_by and m.layer = v_gone.layer and m.digest = v_gone.digest and m.merged_into is null;
  if found then
    perform animus.raise('WA002', format('memory %s has the text of memory %s', v_same, p_id), p_id, 'change the text of that one first');
  end if;
  perform animus.count_memories(row(v_gone.layer, v_gone.project, v_gone.task, v_gone.submitted_by)::animus.memory_place, 1);
  update animus.memories set merged_into = null, updated_at = v_now,
         -- Of its sources, some may have gone from the other one.
         sources_cut = v_gone.sources_cut or exists (select from unnest(v_merge.source_ids) i (id) where not exists (select from animus.memory_sources s where s.id = i.id))
   where id = p_id;
  update animus.memories set merged_into = p_id where merged_into = v_into.id and id = any (v_merge.followers);
  update animus.memory_sources s set memory_id = p_id where s.memory_id = v_into.id and s.id = any (v_merge.source_ids);
  update animus.memories m
     set uses = greatest(m.uses - v_gone.uses, 0), tags = array(select jsonb_array_elements_text(k.kept -> 'tags')), metadata = k.kept -> 'metadata',
         created_at = (k.kept ->> 'created_at')::timestamptz
    from animus.without_merge(v_merge, jsonb_build_object('tags', v_into.tags, 'metadata', v_into.metadata, 'created_at', v_into.created_at), null) k (kept)
   where m.id = v_into.id;
  -- What later merges found there is without it, too.
  update animus.memory_merges g set before = animus.without_merge(v_merge, g.before, g.number)
   where g.into_id = v_merge.into_id and g.number > v_merge.number and g.before is not null;
  delete from animus.memory_merges where gone_id = p_id;
  perform animus.add_memory_source(p_id, 'unmerged', v_now, null, null, null, null);
  insert into animus.memory_links (memory_id, alike_id, linked_at) values (least(p_id, v_into.id), greatest(p_id, v_into.id), v_now) on conflict do nothing;
end $$;

-- Returns tags, metadata and created_at of a memory without what a merge has brought, where no merge after it, and before p_until, has brought the same.
-- p_state: what it has with all of them.
-- Locks: none. Raises: nothing.
create or replace function animus.without_merge(p_merge animus.memory_merges, p_state jsonb, p_until bigint) returns jsonb
language plpgsql stable as $$
declare
  v_brought  animus.memories;
  v_tags     text[] := '{}';
  v_metadata jsonb := '{}';
  v_created  timestamptz := (p_merge.before ->> 'created_at')::timestamptz;
  v_later    animus.memories;
begin
  if p_merge.before is null then return p_state; end if;
  select * into v_brought from animus.memories m where m.id = p_merge.gone_id;
  for v_later in
    select o.* from animus.memory_merges g join animus.memories o on o.id = g.gone_id
     where g.into_id = p_merge.into_id and g.number > p_merge.number and (p_until is null or g.number < p_until) order by g.number
  loop
    v_tags := v_tags || v_later.tags;
    v_metadata := v_later.metadata || v_metadata;
    v_created := least(v_created, v_later.created_at);
  end loop;
  return jsonb_build_object('created_at', v_created,
    'tags', (select coalesce(jsonb_agg(t order by t), '[]') from jsonb_array_elements_text(p_state -> 'tags') t
              where t <> all (v_brought.tags) or p_merge.before -> 'tags' ? t or t = any (v_tags)),
    'metadata', (select coalesce(jsonb_object_agg(e.key, case when e.mine then e.value else v_metadata -> e.key end), '{}')
                   from (select x.key, x.value, p_merge.before -> 'metadata' ? x.key or v_brought.metadata -> x.key is distinct from x.value as mine
                           from jsonb_each(p_state -> 'metadata') x) e where e.mine or v_metadata ? e.key));
end $$;

-- Returns the merges that can be undone, newest first: of the memories that the actor may see. content: what the merged memory says; into_content: what
-- is found instead. The work item is shown to those who may see it.
-- Locks: none. Raises: WA003, WA004.
create or replace function animus.list_memory_merges(p_limit int default 50)
returns table (
  id uuid, into_id uuid, reason text, actor text, work_item_id uuid, merged_at timestamptz, layer text, project text, kind text, content text, into_content text,
  submitted_by text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
begin
  return query
  select g.gone_id, g.into_id, g.reason, g.actor, animus.shown_work(g.work_item_id), g.merged_at, m.layer, m.project, o.kind, o.content, m.content, m.submitted_by
    from animus.memory_merges g
    join animus.memories o on o.id = g.gone_id
    join animus.memories m on m.id = coalesce(o.merged_into, o.id)
   where m.id in (select f.id from animus.fitting_memories(animus.memory_filter_of(null, '{}')) f)
   order by g.merged_at desc, g.gone_id desc limit least(greatest(coalesce(p_limit, 50), 1), 1000);
end $$;

-- Returns at most three memories that are nearly alike to one that was found by p_filter, newest first, as {id, content, updated_at}. They are of its place:
-- anyone who may see it may see them, but not in a context of several readers. Long texts are cut.
-- Locks: none. Raises: nothing.
drop function if exists animus.memories_alike(uuid);
create or replace function animus.memories_alike(p_id uuid, p_filter animus.memory_filter) returns jsonb
language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'content', animus.cut_text(n.content, 1000), 'updated_at', n.updated_at) order by n.updated_at desc, n.id desc), '[]')
    from (select m.id, m.content, m.updated_at from animus.memories m
           where m.merged_into is null
             and ((p_filter).readers is null or m.submitted_by is null or animus.memory_for_all(m, (p_filter).readers))
             and m.id in (select l.alike_id from animus.memory_links l where l.memory_id = p_id union all select l.memory_id from animus.memory_links l where l.alike_id = p_id)
           order by m.updated_at desc, m.id desc limit 3) n
$$;
