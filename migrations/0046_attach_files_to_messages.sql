-- Files that come with messages are files of the workspace. Such a file has the id of its artifact, which has the bytes.
alter table animus.files add column conversation_id uuid;
alter table animus.files add constraint files_conversation_id_fkey foreign key (conversation_id) references animus.conversations(file_id) on delete cascade;
create index files_conversation on animus.files (conversation_id) where conversation_id is not null;
alter table animus.files drop constraint files_kind_check;
alter table animus.files add constraint files_kind_check check (kind in ('chat', 'attachment'));
alter table animus.files add constraint attached_to_conversation check ((kind = 'attachment') = (conversation_id is not null) and is_virtual = (kind = 'chat'));

-- Which files came with a message: an edit and a retry keep those of the message that they replace.
create table animus.chat_message_files (
  message_id bigint not null,
  file_id    uuid   not null,
  primary key (message_id, file_id),
  constraint chat_message_files_message_id_fkey foreign key (message_id) references animus.chat_messages(id) on delete cascade,
  constraint chat_message_files_file_id_fkey foreign key (file_id) references animus.files(id) on delete cascade
);
create index chat_message_files_file on animus.chat_message_files (file_id);

-- What replaces a message, where a conversation first branches, what was deleted in it, and its messages in the order in which they are shown: an
-- answer at the message that it answers.
create index chat_messages_branches on animus.chat_messages (file_id, replaces) where role = 'user' and replaces is not null;
create index chat_messages_places on animus.chat_messages (file_id, (case when role = 'user' and not told then id else coalesce(after_id, 0) end), id);
create index chat_messages_replaces on animus.chat_messages (replaces) where replaces is not null;
create index chat_messages_deleted on animus.chat_messages (file_id, deleted_at) where deleted_at is not null;

-- The open answers of a conversation.
create index work_items_open_answers on animus.work_items ((trigger_info ->> 'conversation')) where source = 'chat' and resolved_at is null;

-- Files that came before this version. The digits keep names apart.
insert into animus.files (id, workspace_id, path, is_virtual, kind, conversation_id, created_at, updated_at, deleted_at)
select a.id, f.workspace_id,
       case when length(f.path) <= 250 then regexp_replace(f.path, '\.chat$', '.files') else 'chats/' || right(f.id::text, 12) || '.files' end
         || '/' || right(a.id::text, 12) || '-' || right(regexp_replace(a.name, '[/\\[:cntrl:]\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]', '_', 'g'), 150),
       false, 'attachment', f.id, a.created_at, a.created_at, coalesce(f.deleted_at, m.deleted_at)
  from animus.chat_messages m join animus.files f on f.id = m.file_id join animus.artifacts a on a.work_item_id = m.work_item_id and a.focus_id is null
  join animus.work_items w on w.id = m.work_item_id
 where m.role = 'user' and not m.told and w.params -> 'attachments' ? a.id::text;
insert into animus.chat_message_files (message_id, file_id)
select m.id, f.id from animus.chat_messages m join animus.work_items w on w.id = m.work_item_id
  join animus.files f on f.conversation_id = m.file_id and w.params -> 'attachments' ? f.id::text
 where m.role = 'user' and not m.told;
