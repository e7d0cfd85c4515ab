-- Who reads the context of work, and what may therefore enter it. The rule: what enters a context that several people may read is only what all of
-- them may see. The digest of other work, memories, files, results of merged work and what is told to work ask here.
--
-- The readers of an item are fixed when the message that it answers is written: anyone who joins the conversation later reads the words of the earlier
-- messages, but not the contexts of their answers. Anyone who leaves does not read them any more. So the readers of an item only become fewer, and what was
-- checked once stays right. Anyone who joins before the answer is given hears it, though: from then on, nothing enters that they may not see (audience_of).

-- Returns the names of those who may read the context of an item without seeing all work, and of its submitters: of the item and of its root, and
-- of a root that answers a message those who took part in the conversation when it was written and still do. Null if there is no such item.
-- Locks: none. Raises: nothing.
create or replace function animus.readers_of(p_item uuid) returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select array_agg(r.actor order by r.actor)
      from animus.work_items w join animus.work_items t on t.id = w.root_id
      cross join lateral (
        select w.submitted_by union select t.submitted_by
        union
        select p.actor from animus.chat_messages m join animus.conversation_people p on p.file_id = m.file_id and p.joined_after < m.id
         where m.work_item_id = w.root_id and m.role = 'user' and not m.told) r (actor)
     where w.id = p_item);
end $$;

-- Returns the readers of an item and, of an answer, everybody who takes part in its conversation now: what enters the context may be said to them. Null
-- as readers_of.
-- Locks: none. Raises: nothing.
create or replace function animus.audience_of(p_item uuid) returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select array_agg(a.actor order by a.actor)
      from (select unnest(animus.readers_of(p_item)) as actor
            union
            select p.actor from animus.work_items w join animus.chat_messages m on m.work_item_id = w.root_id and m.role = 'user' and not m.told
              join animus.conversation_people p on p.file_id = m.file_id
             where w.id = p_item) a);
end $$;

-- Returns those of the readers who do not see all work; {} if all of them do. Where nobody is known, one that sees nothing.
-- Locks: none. Raises: nothing.
create or replace function animus.bound_readers(p_readers text[]) returns text[]
language plpgsql stable as $$
begin
  if coalesce(cardinality(p_readers), 0) = 0 then return array['']; end if;
  return array(select coalesce(r.actor, '') from unnest(p_readers) r (actor) where animus.actor_sees_all(r.actor) is not true order by 1);
end $$;

-- Returns whether each of the readers, as bound_readers returns them, may read an item: it is their own, or they take part in the conversation of its root
-- since before its message, of which nothing was deleted. As animus.visible_work.
-- Locks: none. Raises: nothing.
create or replace function animus.all_may_read(p_bound text[], p_item uuid) returns boolean
language plpgsql stable cost 1000 as $$
begin
  return coalesce((
    select not exists (
        select from unnest(p_bound) r (actor)
         where w.submitted_by is distinct from r.actor
           and not exists (
             select from animus.chat_messages m
               join animus.conversation_people p on p.file_id = m.file_id and p.actor = r.actor and p.joined_after < m.id
               join animus.files f on f.id = m.file_id and f.deleted_at is null
              where m.work_item_id = w.root_id and m.role = 'user' and not m.told
                and not exists (select from animus.chat_messages d where d.work_item_id = m.work_item_id and d.deleted_at is not null)))
      from animus.work_items w where w.id = p_item), false);
end $$;

-- Returns whether what an item says or does may enter the context of another one: all of the audience of that one may read it, or both are of one tree.
-- Locks: none. Raises: nothing.
create or replace function animus.may_enter(p_context uuid, p_item uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return animus.all_may_read(animus.bound_readers(animus.audience_of(p_context)), p_item)
    or coalesce((select c.root_id = w.root_id from animus.work_items c, animus.work_items w where c.id = p_context and w.id = p_item), false);
end $$;

-- Returns whether each of the readers may see a memory, which belongs to one of them or to work that they read: it is their only reader's own, it is of a task
-- that all of them read, or all that it was made from is work that all of them read, of which nothing is left out.
-- Locks: none. Raises: nothing.
create or replace function animus.memory_for_all(p_memory animus.memories, p_bound text[]) returns boolean
language plpgsql stable cost 2000 as $$
begin
  if p_bound = array[p_memory.submitted_by] then return true; end if;
  if p_memory.task is not null then return animus.all_may_read(p_bound, p_memory.task); end if;
  return coalesce((
    -- The sources of what was merged into it became its own, and are its no longer where that was undone.
    select not p_memory.sources_cut and bool_and(s.work_item_id is not null and animus.all_may_read(p_bound, s.work_item_id))
      from animus.memory_sources s where s.memory_id = p_memory.id and s.action not in ('merged', 'unmerged')), false);
end $$;

-- Returns whether an answer may go on with the answers of a chain, of which p_first is the first message: all of its audience also reads these.
-- Locks: none. Raises: nothing.
create or replace function animus.chain_for_all(p_item uuid, p_first animus.chat_messages) returns boolean
language plpgsql stable as $$
begin
  return not exists (
    select from unnest(animus.bound_readers(animus.audience_of(p_item))) r (actor)
     where not exists (select from animus.conversation_people p where p.file_id = p_first.file_id and p.actor = r.actor and p.joined_after < p_first.id));
end $$;

-- Returns whether what is said in a conversation now may be told into an answer that is being given: everybody who reads the answer takes part, and who
-- speaks reads it.
-- Locks: none. Raises: nothing.
create or replace function animus.may_tell(p_file_id uuid, p_item uuid) returns boolean
language plpgsql stable as $$
declare
  v_readers constant text[] := animus.readers_of(p_item);
begin
  return (animus.actor() = any (v_readers) or animus.sees_all())
    and not exists (select from unnest(animus.bound_readers(v_readers)) r (actor)
                     where not exists (select from animus.conversation_people p where p.file_id = p_file_id and p.actor = r.actor));
end $$;
