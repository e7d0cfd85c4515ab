-- Workspaces, their files, and conversations with a faculty (functions/35_*.sql, functions/36_workspaces.sql).

-- A place for files that belong together. Owned by the actor who made it.
create table animus.workspaces (
  id         uuid        not null,
  name       text        not null,
  owner      text        not null,
  created_at timestamptz not null,
  primary key (id),
  constraint workspaces_owner_name_key unique (owner, name),
  constraint workspaces_name_check check (length(name) between 1 and 200)
);

-- A file of a workspace. The content of a virtual file is made when it is read: kind says by which function.
create table animus.files (
  id           uuid        not null,
  workspace_id uuid        not null,
  path         text        not null,
  is_virtual   boolean     not null,
  kind         text        not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  deleted_at   timestamptz,
  primary key (id),
  constraint files_workspace_id_fkey foreign key (workspace_id) references animus.workspaces(id) on delete cascade,
  constraint files_kind_check check (kind in ('chat')),
  constraint files_path_check check (length(path) between 1 and 500)
);
create unique index files_path on animus.files (workspace_id, path) where deleted_at is null;
create index files_old on animus.files (coalesce(deleted_at, updated_at));

-- One conversation per `.chat` file. head_id: the newest message of a person on the branch that is shown.
create table animus.conversations (
  file_id         uuid not null,
  faculty         text not null,
  title           text not null default '',
  while_answering text not null default 'queue',
  head_id         bigint,
  created_by      text not null,
  primary key (file_id),
  constraint conversations_file_id_fkey foreign key (file_id) references animus.files(id) on delete cascade,
  constraint conversations_while_answering_check check (while_answering in ('queue', 'tell'))
);

-- Who takes part in a conversation, and so sees all of it.
create table animus.conversation_people (
  file_id uuid not null,
  actor   text not null,
  primary key (file_id, actor),
  constraint conversation_people_file_id_fkey foreign key (file_id) references animus.conversations(file_id) on delete cascade
);
create index conversation_people_actor on animus.conversation_people (actor);

-- Append-only. after_id: the message of a person before it on its branch; of an answer, the message that it answers. replaces: what an edit,
-- a retry or a later answer stands for. told: it went into the answer that work_item_id was giving, and has no item of its own. fresh: its answer
-- begins from the recorded words. work_item_id has no foreign key: items are deleted with their conversation, and a key would cost every delete.
create table animus.chat_messages (
  id           bigint      not null generated always as identity,
  file_id      uuid        not null,
  role         text        not null,
  content      text        not null,
  author       text        not null,
  created_at   timestamptz not null,
  after_id     bigint,
  replaces     bigint,
  work_item_id uuid,
  told         boolean     not null default false,
  fresh        boolean     not null default false,
  ended_as     text,
  deleted_at   timestamptz,
  deleted_by   text,
  primary key (id),
  constraint chat_messages_file_id_fkey foreign key (file_id) references animus.conversations(file_id) on delete cascade,
  constraint chat_messages_role_check check (role in ('user', 'assistant', 'system')),
  constraint chat_messages_ended_as_check check (ended_as in ('completed', 'dead', 'cancelled')),
  constraint deleted_by_somebody check ((deleted_at is null) = (deleted_by is null))
);
create index chat_messages_file on animus.chat_messages (file_id, id);
create index chat_messages_after on animus.chat_messages (after_id) where after_id is not null;
create index chat_messages_item on animus.chat_messages (work_item_id) where work_item_id is not null;

-- continues: the focus whose conversation this one goes on with; turns_before: the turns of that chain, after which its own are numbered. Both are
-- null for every other focus, which takes no room in a row.
alter table animus.foci add column continues uuid, add column turns_before int;

-- Whoever takes part in a conversation may tell a running answer something.
alter table animus.mailbox drop constraint mailbox_author_is_check;
alter table animus.mailbox add constraint mailbox_author_is_check check (author_is in ('operator', 'submitter', 'duplicate', 'participant')) not valid;
