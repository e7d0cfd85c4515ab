-- Conversations and workspaces as a gateway reads them for the person it acts for, like the views of 32_visible.sql.

-- Conversations in which the actor takes part, or all.
create or replace view animus.visible_conversations as
  select c.file_id, f.workspace_id, f.path, c.title, c.faculty, c.while_answering, c.created_by, f.created_at, f.updated_at
    from animus.conversations c join animus.files f on f.id = c.file_id
   where f.deleted_at is null
     and ((select animus.sees_all())
          or exists (select from animus.conversation_people p where p.file_id = c.file_id and p.actor = (select animus.actor())));

-- Who takes part in them.
create or replace view animus.visible_conversation_people as
  select p.file_id, p.actor, p.role from animus.conversation_people p join animus.visible_conversations c on c.file_id = p.file_id;

-- Their messages on all branches, without deleted ones.
create or replace view animus.visible_chat_messages as
  select m.id, m.file_id, m.role, m.content, m.author, m.created_at, m.after_id, m.replaces, m.work_item_id, m.told, m.ended_as, m.number
    from animus.chat_messages m join animus.visible_conversations c on c.file_id = m.file_id where m.deleted_at is null;

-- Workspaces of the actor, those of conversations in which it takes part, or all.
create or replace view animus.visible_workspaces as
  select w.id, w.name, w.owner, w.created_at
    from animus.workspaces w
   where w.owner = (select animus.actor()) or (select animus.sees_all())
      or w.id in (select f.workspace_id from animus.conversation_people p join animus.files f on f.id = p.file_id and f.deleted_at is null
                   where p.actor = (select animus.actor()));

-- The files of workspaces: those conversations, and what came with their messages. media_type, bytes: of a file that is stored.
create or replace view animus.visible_files as
  select f.id, f.workspace_id, f.path, f.is_virtual, f.kind, f.conversation_id, a.media_type, a.bytes, f.created_at, f.updated_at
    from animus.files f join animus.visible_conversations c on c.file_id = coalesce(f.conversation_id, f.id)
    left join animus.artifacts a on a.id = f.id and not f.is_virtual
   where f.deleted_at is null and (f.is_virtual or a.id is not null);

-- With which messages they came: also with those that an edit or a retry put in the place of another.
create or replace view animus.visible_message_files as
  select x.message_id, x.file_id from animus.chat_message_files x join animus.visible_chat_messages m on m.id = x.message_id;
