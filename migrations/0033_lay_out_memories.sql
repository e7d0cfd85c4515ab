-- Memories: what work and people want to be known later (functions/26_memory.sql, docs/memory.md). The first form of the table was not used.

alter table animus.memories rename column type to kind;
alter table animus.memories
  add column layer        text not null default 'global' check (layer in ('task', 'project', 'global')),
  add column project      text,
  -- The root of the tree of work whose memory it is. No foreign key, which would cost every deleted item a look here: a trigger per
  -- statement deletes it with its task.
  add column task         uuid,
  add column tags         text[] not null default '{}' check (cardinality(tags) <= 20),
  -- Whose it is; null: everybody's.
  add column submitted_by text,
  -- Of the text, white space aside: equal digests of one place are one memory.
  add column digest       bytea,
  add column updated_at   timestamptz,
  add column uses         int not null default 0,
  add column used_at      timestamptz,
  -- A duplicate: kept for its text and for those who know its id, and never found.
  add column merged_into  uuid references animus.memories (id) on delete cascade,
  -- The model of its embedding; null: it has none.
  add column embedded_as  int,
  -- Why the model `embedded_as` made none.
  add column embedding_problem text;

-- What made a memory what it is: who stored, changed or merged it, and where. Without foreign keys to work, which it outlives.
create table animus.memory_sources (
  id           bigint generated always as identity primary key,
  memory_id    uuid not null references animus.memories (id) on delete cascade,
  action       text not null check (action in ('stored', 'updated', 'merged')),
  -- The text that an update replaced, or that of the memory that was merged.
  replaced     text,
  -- The memory that was merged.
  merged_id    uuid,
  actor        text,
  work_item_id uuid,
  faculty      text,
  focus_id     uuid,
  call_id      text,
  -- The entry of the item's ledger that it came from.
  ledger_seq   int,
  created_at   timestamptz not null
);

insert into animus.memory_sources (memory_id, action, work_item_id, focus_id, created_at)
select id, 'stored', source_item, source_focus, created_at from animus.memories where num_nonnulls(source_item, source_focus) > 0;
update animus.memories set digest = sha256(convert_to(btrim(regexp_replace(content, '\s+', ' ', 'g')), 'UTF8')), updated_at = created_at;
update animus.memories m set merged_into = n.id
  from (select distinct on (digest) id, digest from animus.memories order by digest, id desc) n where n.digest = m.digest and n.id <> m.id;

alter table animus.memories
  drop column source_item, drop column source_focus, drop column search,
  alter column digest set not null, alter column updated_at set not null,
  -- Words as they are written, English words by their stems, and the tags.
  add column search tsvector generated always as (to_tsvector('simple', content) || to_tsvector('english', content) || array_to_tsvector(tags)) stored,
  add constraint memories_place check (case layer when 'task' then task is not null and project is null when 'project' then project is not null and task is null
    else num_nonnulls(task, project) = 0 end);

-- One memory per text and place. The task comes first: it is looked for when work is deleted.
create unique index memories_place_digest on animus.memories (task, project, submitted_by, layer, digest) nulls not distinct where merged_into is null;
create index memories_project on animus.memories (project, submitted_by) where merged_into is null;
create index memories_search on animus.memories using gin (search);
create index memories_tags on animus.memories using gin (tags);
create index memories_merged on animus.memories (merged_into) where merged_into is not null;
create index memories_embedded on animus.memories (embedded_as) where merged_into is null;
create index memory_sources_memory on animus.memory_sources (memory_id, id);
create index memory_sources_item on animus.memory_sources (work_item_id) where work_item_id is not null;

-- How many memories a place has. Whoever changes the memories of a place locks its row first.
create table animus.memory_counts (
  layer        text not null,
  project      text,
  task         uuid,
  submitted_by text,
  memories     int not null check (memories >= 0),
  unique nulls not distinct (task, project, submitted_by, layer)
) with (fillfactor = 50);
create index memory_counts_submitter on animus.memory_counts (submitted_by) where task is null;
insert into animus.memory_counts (layer, memories) select 'global', count(*) from animus.memories where merged_into is null having count(*) > 0;

-- The models that embeddings were asked for; the one prepared last is the current one. Their table is made when pgvector is there.
create table animus.memory_models (
  id          int generated always as identity primary key,
  model       text not null,
  dimensions  int not null check (dimensions between 1 and 16000),
  prepared_at timestamptz not null,
  unique (model, dimensions)
);

-- Where a memory belongs.
create type animus.memory_place as (layer text, project text, task uuid, submitted_by text);

-- Which memories a search may find: those of a viewer, narrowed by what it asks for. Null: not narrowed.
create type animus.memory_filter as (
  viewer text, sees_all boolean, of_item boolean, task uuid, project text,
  layers text[], projects text[], tasks uuid[], kinds text[], tags text[], metadata jsonb, source_item uuid, faculty text, since timestamptz, until timestamptz);
