-- What happened in a conversation, in the order of the commits: events of a conversation are read from here (functions/39_conversation_events.sql).
-- Messages that are there already get their marks when the triggers are created.
create table animus.chat_marks (
  file_id      uuid        not null,
  -- Whoever writes a mark holds the row lock of the file.
  seq          int         not null,
  kind         text        not null,
  message_id   bigint,
  -- The item of the answer.
  work_item_id uuid,
  -- Of `answered`: the mark that began this answer, `said` or `retried`.
  opened       int,
  -- Of `answered`: the position in the events of the item at its end. Of `retried`: the same position, where the events of the retry begin.
  place        json,
  detail       json,
  created_at   timestamptz not null,
  primary key (file_id, seq),
  constraint chat_marks_file_id_fkey foreign key (file_id) references animus.conversations(file_id) on delete cascade,
  constraint chat_marks_kind_check check (kind in ('said', 'told', 'answered', 'retried', 'deleted', 'joined', 'left', 'changed'))
);

-- Conversations whose events somebody reads: notified on animus_events until then.
create table animus.chat_watches (
  file_id uuid        not null,
  until   timestamptz not null,
  primary key (file_id),
  constraint chat_watches_file_id_fkey foreign key (file_id) references animus.conversations(file_id) on delete cascade
);
