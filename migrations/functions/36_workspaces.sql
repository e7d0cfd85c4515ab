-- Workspaces and their files. A virtual file has no stored content: reading it calls the function of its kind.

-- Creates a workspace of the actor, or returns the one of that name.
-- Locks: the row of the name. Raises: 23514.
create or replace function animus.create_workspace(p_name text) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_id uuid;
begin
  insert into animus.workspaces (id, name, owner, created_at) values (animus.uuid_v7(), p_name, animus.actor(), animus.now())
  on conflict (owner, name) do nothing returning id into v_id;
  return coalesce(v_id, (select w.id from animus.workspaces w where w.owner = animus.actor() and w.name = p_name));
end $$;

-- Returns the content of a virtual file as it is now, and its ETag: a hash of the content, in quotes. For whoever may read the file.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.read_virtual_file(p_file_id uuid, out content text, out etag text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_participant(p_file_id, false);
  select r.content, r.etag into content, etag from animus.render_chat(p_file_id) r;
end $$;

-- Returns the virtual files that the focus of an answer sees, with the path of each in its workspace: those of the workspace of its conversation
-- that everybody who takes part in the conversation may read. For work outside of conversations: none.
-- Locks: none. Raises: nothing.
create or replace function animus.files_of_reply(p_work_item_id uuid) returns table (id uuid, path text, kind text, updated_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select o.id, o.path, o.kind, o.updated_at
    from animus.chat_messages m join animus.files f on f.id = m.file_id join animus.files o on o.workspace_id = f.workspace_id
   where m.work_item_id = p_work_item_id and m.role = 'user' and not m.told and o.is_virtual and o.deleted_at is null
     and not exists (select from animus.conversation_people p where p.file_id = f.id
                       and not exists (select from animus.conversation_people q where q.file_id = o.id and q.actor = p.actor))
   order by o.path
$$;

-- Returns the content of a virtual file that the focus of an answer sees (files_of_reply), or no row.
-- Locks: none. Raises: nothing.
create or replace function animus.read_file_of_reply(p_work_item_id uuid, p_path text) returns table (content text, etag text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select r.content, r.etag from animus.files_of_reply(p_work_item_id) f cross join lateral animus.render_chat(f.id) r where f.path = p_path
$$;

-- The workspaces of the actor.
create or replace view animus.own_workspaces with (security_barrier) as
  select w.id, w.name, w.created_at from animus.workspaces w where w.owner = (select animus.actor());
