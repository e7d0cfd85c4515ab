-- Merges of memories are recorded so that they can be undone, and memories that are nearly alike are linked, no longer merged (functions/27_memory_merges.sql).

create table animus.memory_merges (
  -- The memory that is found no longer. Undoing the merge deletes the row.
  gone_id      uuid primary key references animus.memories (id) on delete cascade,
  into_id      uuid not null references animus.memories (id) on delete cascade,
  -- same_text: an update gave it the text of the other; asked: whoever stored it, or a person, merged them; similar: an earlier animus did, because
  -- of their embeddings.
  reason       text not null check (reason in ('same_text', 'asked', 'similar')),
  actor        text,
  work_item_id uuid,
  merged_at    timestamptz not null,
  -- The order of the merges.
  number       bigint not null generated always as identity,
  -- Tags, metadata and created_at that the other had before, as they would be without merges that were undone since; null: an earlier animus did not record them.
  before       jsonb,
  -- The sources that it brought, and the memories that had been merged into it.
  source_ids   bigint[] not null default '{}',
  followers    uuid[] not null default '{}'
);
create index memory_merges_into on animus.memory_merges (into_id);

-- An earlier animus recorded no reason. Equal digests are those of an update.
insert into animus.memory_merges (gone_id, into_id, reason, actor, merged_at)
select g.id, g.merged_into, case when g.digest = m.digest then 'same_text' else 'similar' end,
       (select s.actor from animus.memory_sources s where s.merged_id = g.id order by s.id desc limit 1), g.updated_at
  from animus.memories g join animus.memories m on m.id = g.merged_into;

-- Memories of one place whose embeddings are nearly alike. They may say the opposite of each other: both are shown.
create table animus.memory_links (
  memory_id uuid not null references animus.memories (id) on delete cascade,
  alike_id  uuid not null references animus.memories (id) on delete cascade,
  linked_at timestamptz not null,
  primary key (memory_id, alike_id),
  check (memory_id < alike_id)
);
create index memory_links_alike on animus.memory_links (alike_id);

-- Whether some of what a memory was made from is not among its sources any more: only the first and the newest 50 are kept.
alter table animus.memories add column sources_cut boolean not null default false;
update animus.memories m set sources_cut = true where (select count(*) from animus.memory_sources s where s.memory_id = m.id) >= 50;

alter table animus.memory_sources drop constraint memory_sources_action_check,
  add constraint memory_sources_action_check check (action in ('stored', 'updated', 'merged', 'unmerged'));
