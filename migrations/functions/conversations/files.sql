-- Conversations as `.chat` files: their text, what is imported from one, and how long they are kept.

-- Returns what the heading of a message says of the files that came with it; empty: none did, or they are deleted.
-- Locks: none. Raises: nothing.
create or replace function animus.files_in_heading(p_message_id bigint) returns text
language sql stable as $$
  select coalesce(' · with ' || string_agg(format('%s (%s)', a.name, case a.bytes when 1 then '1 byte' else a.bytes || ' bytes' end), ', ' order by a.created_at, a.id), '')
    from animus.chat_message_files x join animus.files f on f.id = x.file_id and f.deleted_at is null join animus.artifacts a on a.id = f.id
   where x.message_id = p_message_id
$$;

-- Returns a conversation as the text of its .chat file, in Markdown, and its ETag: a hash of the text, in quotes. A message that nobody has answered
-- yet stands without an answer. The heading of a message is `## NUMBER · ROLE · AUTHOR · TIME`, with the files that came with it; a line of a message that begins with `## ` gets a backslash in
-- front, so that it is none.
-- Locks: none. Raises: nothing.
create or replace function animus.render_chat(p_file_id uuid, out content text, out etag text)
language sql stable as $$
  select r.text, '"' || encode(sha256(convert_to(r.text, 'UTF8')), 'hex') || '"'
    from (
      select format(E'# %s\n\nA conversation with %s.\n', coalesce(nullif(c.title, ''), f.path), c.faculty)
             || coalesce(string_agg(format(E'\n## %s · %s · %s · %s%s\n\n%s\n', m.number, m.role, animus.shown_name(m.author),
                  to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"'),
                  case when m.told then ' · told' when m.ended_as <> 'completed' then ' · ' || m.ended_as else animus.files_in_heading(m.id) end, regexp_replace(m.content, E'^(\\\\*## )', E'\\\\\\1', 'gn')),
                  '' order by m.place), '') as text
        from animus.conversations c join animus.files f on f.id = c.file_id
        left join lateral (select w.*, row_number() over () as place from animus.words_of(c.file_id, c.head_id) w) m on true
       where c.file_id = p_file_id
       group by c.title, c.faculty, f.path) r
$$;

-- Adds messages to an empty conversation, such as those of an export: [{role, content, author?, created_at?}] in order. They have no work items; the next
-- answer begins from their words. At most 10,000 messages of 1 MiB each; the name of an author is cut to 200 characters. Returns how many.
-- Locks: the conversation; its file. Raises: WA002, WA003, WA004, 42501.
create or replace function animus.import_messages(p_file_id uuid, p_messages jsonb) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_now   timestamptz := animus.now();
  v_after bigint;
  v_one   record;
  v_id    bigint;
  v_count int := 0;
begin
  perform animus.require_participant(p_file_id, true);
  perform from animus.conversations c where c.file_id = p_file_id for no key update;
  -- It may have been deleted meanwhile.
  perform animus.require_participant(p_file_id, true);
  if exists (select from animus.chat_messages m where m.file_id = p_file_id) then
    perform animus.raise('WA002', 'messages can only be imported into an empty conversation', p_file_id);
  end if;
  if jsonb_typeof(p_messages) is distinct from 'array' or jsonb_array_length(p_messages) > 10000 then
    perform animus.raise('WA004', 'an import is a list of at most 10,000 messages', p_file_id);
  end if;
  begin
    for v_one in select e.value as m, e.ordinality as n from jsonb_array_elements(p_messages) with ordinality e loop
      if coalesce(v_one.m ->> 'role', '') not in ('user', 'assistant', 'system') or coalesce(jsonb_typeof(v_one.m -> 'content'), '') <> 'string'
         or octet_length(v_one.m ->> 'content') > 1048576 then
        perform animus.raise('WA004', format('message %s of the import needs a role (user, assistant or system) and a content of at most 1 MiB', v_one.n), p_file_id);
      end if;
      if (v_one.m ->> 'created_at')::timestamptz not between '0001-01-01 00:00:00Z' and '9999-12-31 23:59:59Z' then
        perform animus.raise('WA004', format('message %s of the import has a time outside of the years 1 to 9999', v_one.n), p_file_id);
      end if;
      insert into animus.chat_messages (file_id, role, content, author, created_at, after_id, ended_as)
      values (p_file_id, v_one.m ->> 'role', v_one.m ->> 'content', 'imported:' || animus.shown_name(left(coalesce(v_one.m ->> 'author', v_one.m ->> 'role'), 200)),
              coalesce((v_one.m ->> 'created_at')::timestamptz, v_now), v_after, case when v_one.m ->> 'role' = 'assistant' then 'completed' end)
      returning id into v_id;
      if v_one.m ->> 'role' = 'user' then v_after := v_id; end if;
      v_count := v_count + 1;
    end loop;
  exception when invalid_datetime_format or datetime_field_overflow then
    perform animus.raise('WA004', format('created_at of message %s of the import is not a time', v_one.n), p_file_id, 'a time is written as 2026-11-23T01:20:00Z');
  end;
  update animus.conversations c set head_id = v_after where c.file_id = p_file_id;
  update animus.files f set updated_at = v_now where f.id = p_file_id;
  return v_count;
end $$;

-- Deletes conversations in which nothing was said for p_older_than and no work is open: marks them first, as a person does. An hour after the mark they are
-- removed, with their items and all that belongs to these: until then, each daemon has removed their files on its host. Returns how many were removed;
-- null when another retention call is running.
-- Locks: animus.retention_turn; the rows of the conversations and of their items, and skips those that others have locked. Raises: nothing.
create or replace function animus.prune_conversations(p_older_than interval, p_limit int default 20) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_count int := 0;
  v_file  uuid;
  v_ids   uuid[];
begin
  if not animus.try_retention() then return null; end if;
  set constraints all immediate;
  update animus.files set deleted_at = v_now where id in (
    select f.id from animus.files f
     where f.kind = 'chat' and f.deleted_at is null and coalesce(f.deleted_at, f.updated_at) < v_now - p_older_than and not animus.conversation_works(f.id)
     order by f.updated_at limit p_limit for update skip locked);
  for v_file in
    select f.id from animus.files f
     where f.kind = 'chat' and f.deleted_at is not null and coalesce(f.deleted_at, f.updated_at) < v_now - interval '1 hour'
       and not animus.conversation_works(f.id)
     order by f.deleted_at limit p_limit for update skip locked
  loop
    v_ids := array(
      select w.id from animus.work_items w
       where w.root_id in (select r.root_id from animus.chat_messages m join animus.work_items r on r.id = m.work_item_id where m.file_id = v_file)
         for update skip locked);
    delete from animus.files where id = v_file;
    -- What another table's foreign key refers to stays, and is from now on retained like other work.
    perform animus.delete_trees(v_ids);
    v_count := v_count + 1;
  end loop;
  return v_count;
end $$;

-- Returns whether an item of a conversation, or one below it, has not ended.
-- Locks: none. Raises: nothing.
create or replace function animus.conversation_works(p_file_id uuid) returns boolean
language sql stable as $$
  select exists (
    select from animus.chat_messages m join animus.work_items r on r.id = m.work_item_id join animus.work_items w on w.id = r.id or w.root_id = r.root_id and w.depth > 0
     where m.file_id = p_file_id and w.resolved_at is null)
$$;

-- The conversations in which the actor takes part.
create or replace view animus.own_conversations with (security_barrier) as
  select c.file_id, f.workspace_id, f.path, c.title, c.faculty, c.while_answering, c.created_by, f.created_at, f.updated_at
    from animus.conversations c join animus.files f on f.id = c.file_id
    join animus.conversation_people p on p.file_id = c.file_id and p.actor = (select animus.actor()) where f.deleted_at is null;

-- Their messages on all branches, without deleted ones.
create or replace view animus.own_chat_messages with (security_barrier) as
  select m.id, m.file_id, m.role, m.content, m.author, m.created_at, m.after_id, m.replaces, m.work_item_id, m.told, m.ended_as, m.number
    from animus.chat_messages m join animus.conversation_people p on p.file_id = m.file_id and p.actor = (select animus.actor())
    join animus.files f on f.id = m.file_id and f.deleted_at is null where m.deleted_at is null;
