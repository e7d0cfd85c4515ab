-- Workspaces and their files. A virtual file has no stored content: reading it calls the function of its kind.

-- Creates a workspace of the actor, or returns the one of that name.
-- Locks: the row of the name. Raises: 23514.
create or replace function animus.create_workspace(p_name text) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_id uuid;
begin
  insert into animus.workspaces (id, name, owner, created_at) values (animus.uuid_v7(), p_name, animus.actor(), animus.now())
  on conflict (owner, name) do nothing returning id into v_id;
  return coalesce(v_id, (select w.id from animus.workspaces w where w.owner = animus.actor() and w.name = p_name));
end $$;

-- Renames a workspace. For its owner, and for operators.
-- Locks: the row of the workspace. Raises: WA002, WA003, WA004, 42501.
create or replace function animus.rename_workspace(p_id uuid, p_name text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
begin
  perform animus.require_workspace(p_id);
  if coalesce(length(p_name), 0) not between 1 and 200 then
    perform animus.raise('WA004', 'the name of a workspace has 1 to 200 characters', p_id);
  end if;
  update animus.workspaces w set name = p_name where w.id = p_id;
exception when unique_violation then
  perform animus.raise('WA002', format('a workspace named %s already exists', quote_literal(p_name)), p_id);
end $$;

-- Deletes a workspace without conversations. A conversation that was deleted is removed by retention, an hour later at the earliest, and belongs to it
-- until then. For its owner, and for operators.
-- Locks: the row of the workspace. Raises: WA002, WA003, 42501.
create or replace function animus.delete_workspace(p_id uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_left record;
begin
  perform animus.require_workspace(p_id);
  -- A conversation that begins now waits for this lock, and then finds no workspace.
  perform from animus.workspaces w where w.id = p_id for update;
  select count(*) filter (where f.deleted_at is null) as shown, count(*) as kept,
         count(*) filter (where f.deleted_at is null
           and not exists (select from animus.conversation_people p where p.file_id = f.id and p.actor = animus.actor())) as of_others
    into v_left from animus.files f where f.workspace_id = p_id and f.kind = 'chat';
  if v_left.shown > 0 then
    perform animus.raise('WA002', format('the workspace has conversations: %s', v_left.shown)
      || case when v_left.of_others > 0 then format('; you do not take part in %s of them', v_left.of_others) else '' end, p_id,
      case when v_left.of_others > 0 then 'delete them first; an owner or an operator can delete those in which you do not take part' else 'delete them first' end);
  end if;
  if v_left.kept > 0 then
    perform animus.raise('WA002', format('deleted conversations of the workspace are not removed yet: %s', v_left.kept), p_id, 'try again an hour after they were deleted');
  end if;
  delete from animus.workspaces w where w.id = p_id;
end $$;

-- Refuses actors that do not own a workspace, except operators. Those who do not see it do not learn that it exists.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.require_workspace(p_id uuid) returns void
language plpgsql stable as $$
begin
  perform from animus.workspaces w where w.id = p_id and (w.owner = animus.actor() or animus.may_operate());
  if found then return; end if;
  if not exists (select from animus.visible_workspaces w where w.id = p_id) then perform animus.raise('WA003', format('no workspace %s', p_id), p_id); end if;
  raise insufficient_privilege using message =
    format('%s does not own this workspace: only its owner, and operators, may change it or begin conversations in it', animus.actor());
end $$;

-- Refuses a conversation whose messages exceed 10 MiB, also counting branches that are not shown: its text is made as one value.
-- Locks: none. Raises: WA002.
create or replace function animus.require_chat_size(p_file_id uuid) returns void
language plpgsql stable as $$
declare
  v_bytes constant bigint := (select sum(octet_length(m.content)) from animus.chat_messages m where m.file_id = p_file_id and m.deleted_at is null);
begin
  if v_bytes <= 10485760 or v_bytes is null then return; end if;
  perform animus.raise('WA002', format('the conversation has %s bytes; it can be read as a file up to 10485760 (10 MiB): read its messages in pages, or export it as JSON Lines',
    v_bytes), p_file_id);
end $$;

-- Returns the content of a virtual file as it is now, and its ETag: a hash of the content, in quotes. For those who may read the file. At most 10 MiB of
-- messages.
-- Locks: none. Raises: WA002, WA003, 42501.
create or replace function animus.read_virtual_file(p_file_id uuid, out content text, out etag text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
begin
  perform animus.require_participant(p_file_id, false);
  perform animus.require_chat_size(p_file_id);
  select r.content, r.etag into content, etag from animus.render_chat(p_file_id) r;
end $$;

-- Returns the content of a file of a workspace as it is now, its media type, and its ETag: of a virtual file a hash of the content, of one that came
-- with a message, whose content never changes, its id. For those who may read the conversation. At most 10 MiB of messages.
-- Locks: none. Raises: WA002, WA003, 42501.
create or replace function animus.read_workspace_file(p_file_id uuid, out content bytea, out media_type text, out etag text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
declare
  v_chat uuid := (select coalesce(f.conversation_id, f.id) from animus.files f where f.id = p_file_id and f.deleted_at is null);
begin
  perform animus.require_participant(v_chat, false);
  if v_chat = p_file_id then
    perform animus.require_chat_size(v_chat);
    select convert_to(r.content, 'UTF8'), 'text/markdown; charset=utf-8', r.etag into content, media_type, etag from animus.render_chat(p_file_id) r;
    return;
  end if;
  select a.content, a.media_type, '"' || a.id || '"' into content, media_type, etag from animus.artifacts a where a.id = p_file_id;
  if not found then perform animus.raise('WA003', format('no file %s', p_file_id), p_file_id); end if;
end $$;

-- Makes an artifact that was attached to the item of a message a file of the workspace of its conversation, in a directory beside its `.chat` file:
-- chats/plans.files/NAME for chats/plans.chat. In the name, `_` stands for each character that could make a path or look like another name; a name
-- that is taken gets a number. Nothing for an item that answers no message.
-- Locks: the conversation. Raises: nothing.
create or replace function animus.place_attached_file(p_work_item_id uuid, p_artifact_id uuid, p_name text) returns void
language plpgsql as $$
declare
  v_now     timestamptz := animus.now();
  v_message record;
  v_place   text;
begin
  select m.id, m.file_id, f.workspace_id, f.path into v_message from animus.chat_messages m join animus.files f on f.id = m.file_id
   where m.work_item_id = p_work_item_id and m.role = 'user' and not m.told;
  if not found then return; end if;
  -- Two files that come at once do not wait for each other's names crosswise.
  perform from animus.conversations c where c.file_id = v_message.file_id for no key update;
  v_place := animus.files_directory(v_message.path, v_message.file_id);
  insert into animus.files (id, workspace_id, path, is_virtual, kind, conversation_id, created_at, updated_at)
  values (p_artifact_id, v_message.workspace_id,
          v_place || animus.free_file_name(animus.file_name_of(p_name), array(
            select substr(f.path, length(v_place) + 1) from animus.files f
             where f.workspace_id = v_message.workspace_id and f.deleted_at is null and starts_with(f.path, v_place))),
          false, 'attachment', v_message.file_id, v_now, v_now);
  insert into animus.chat_message_files (message_id, file_id) values (v_message.id, p_artifact_id);
end $$;

-- Returns the directory of the files that came with the messages of a conversation, with a `/` at the end.
-- Locks: none. Raises: nothing.
create or replace function animus.files_directory(p_path text, p_file_id uuid) returns text
language sql immutable as $$
  select case when length(p_path) <= 250 then regexp_replace(p_path, E'\\.chat$', '.files/') else format('chats/%s.files/', right(p_file_id::text, 12)) end
$$;

-- Returns a name as the last part of a path: without separators, control characters and invisible characters, of at most 200 characters, in Unicode
-- form NFC, so that names that look the same are the same.
-- Locks: none. Raises: nothing.
create or replace function animus.file_name_of(p_name text) returns text
language sql immutable as $$
  select case when n.name ~ E'^\\.*$' then '_' || n.name else n.name end
    from (select right(btrim(regexp_replace(normalize(p_name, nfc),
                       E'[/\\\\\\u0001-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164'
                       '\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]', '_', 'g')), 200) as name) n
$$;

-- Takes from the workspace those files of a deleted message that no other message has. A message that was replaced has none.
-- Locks: the files. Raises: nothing.
create or replace function animus.remove_attached_files(p_message_id bigint, p_now timestamptz) returns void
language sql as $$
  update animus.files f set deleted_at = p_now, updated_at = p_now
   where f.id in (select x.file_id from animus.chat_message_files x where x.message_id = p_message_id) and f.deleted_at is null
     and not exists (
       select from animus.chat_message_files x join animus.chat_messages m on m.id = x.message_id
        where x.file_id = f.id and m.deleted_at is null
          and not exists (select from animus.chat_messages n where n.replaces = m.id and n.role = 'user'))
$$;

-- Returns the files of the workspace that the focus of an answer sees, at most 10,000, those that were changed last first: the conversations that
-- everybody who reads the answer may read, and what came with their messages; of its own, what came with the messages of its branch. With
-- p_path, only the file of that path. For work outside of conversations: none. bytes: of an attached file.
-- Locks: none. Raises: nothing.
create or replace function animus.files_of_answer(p_work_item_id uuid, p_path text default null)
returns table (id uuid, path text, kind text, media_type text, bytes bigint, updated_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_message animus.chat_messages;
  v_branch  uuid[];
  v_readers constant text[] := animus.audience_of(p_work_item_id);
begin
  select * into v_message from animus.chat_messages m where m.work_item_id = p_work_item_id and m.role = 'user' and not m.told;
  if not found then return; end if;
  v_branch := array(select b.id from animus.files_of_branch(p_work_item_id) b);
  return query
    select o.id, o.path, o.kind, a.media_type, a.bytes, o.updated_at
      from animus.files f join animus.files o on o.workspace_id = f.workspace_id left join animus.artifacts a on a.id = o.id and o.kind = 'attachment'
     where f.id = v_message.file_id and o.deleted_at is null and (p_path is null or o.path = p_path) and (o.kind = 'chat' or a.id is not null)
       and case when o.conversation_id = f.id then o.id = any (v_branch)
             else not exists (select from unnest(v_readers) r (actor)
                               where not exists (select from animus.conversation_people q where q.file_id = coalesce(o.conversation_id, o.id) and q.actor = r.actor)) end
     order by o.updated_at desc, o.id limit 10000;
end $$;

-- Returns the files that came with the messages of the branch of an answer, with their messages.
-- Locks: none. Raises: nothing.
create or replace function animus.files_of_branch(p_work_item_id uuid) returns table (id uuid, message_id bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  -- offset: the branch is followed once, not for each file.
  select f.id, x.message_id
    from (select m.file_id, animus.line_since(m.id, (select min(y.message_id) from animus.files o join animus.chat_message_files y on y.file_id = o.id
                                                      where o.conversation_id = m.file_id and o.deleted_at is null)) as ids
            from animus.chat_messages m where m.work_item_id = p_work_item_id and m.role = 'user' and not m.told offset 0) line
    join animus.files f on f.conversation_id = line.file_id and f.deleted_at is null
    join animus.chat_message_files x on x.file_id = f.id and x.message_id = any (line.ids)
$$;

-- Returns a file that the focus of an answer sees (files_of_answer), or no row: its text as it is now. text is null for an image or a document, and for
-- a conversation of more than 10 MiB.
-- Locks: none. Raises: nothing.
create or replace function animus.read_file_of_answer(p_work_item_id uuid, p_path text) returns table (id uuid, kind text, media_type text, bytes bigint, text text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select f.id, f.kind, f.media_type, coalesce(f.bytes, chat.bytes),
         case when f.kind = 'chat' and chat.bytes <= 10485760 then (select r.content from animus.render_chat(f.id) r)
              when f.media_type like 'text/%' then (select convert_from(a.content, 'UTF8') from animus.artifacts a where a.id = f.id) end
    from animus.files_of_answer(p_work_item_id, p_path) f
    left join lateral (select coalesce(sum(octet_length(m.content)), 0) as bytes from animus.chat_messages m where m.file_id = f.id and m.deleted_at is null) chat
      on f.kind = 'chat'
$$;

drop function if exists animus.read_file_of_reply(uuid, text);
drop function if exists animus.files_of_reply(uuid);

-- The workspaces of the actor.
create or replace view animus.own_workspaces with (security_barrier) as
  select w.id, w.name, w.created_at from animus.workspaces w where w.owner = (select animus.actor());

-- The files of conversations in which the actor takes part.
create or replace view animus.own_files with (security_barrier) as
  select f.id, f.workspace_id, f.path, f.is_virtual, f.kind, f.created_at, f.updated_at
    from animus.conversation_people p join animus.files f on f.id = p.file_id and f.deleted_at is null where p.actor = (select animus.actor())
  union all
  select f.id, f.workspace_id, f.path, f.is_virtual, f.kind, f.created_at, f.updated_at
    from animus.conversation_people p join animus.files c on c.id = p.file_id and c.deleted_at is null
    join animus.files f on f.conversation_id = p.file_id and f.deleted_at is null where p.actor = (select animus.actor());
