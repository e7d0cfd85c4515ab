-- What outlives a work item: memories and the story of skills. memory_embeddings is made when pgvector is there.

create table animus.memories (
  id           uuid primary key,
  type         text not null,
  content      text not null check (content <> ''),
  metadata     jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
  source_item  uuid,
  source_focus uuid,
  search       tsvector generated always as (to_tsvector('simple', content)) stored,
  created_at   timestamptz not null
);
create index memories_search on animus.memories using gin (search);

create table animus.skill_activations (
  focus_id     uuid not null references animus.foci (id) on delete cascade,
  skill        text not null,
  version      text,
  content_hash text not null,
  reason       text not null,
  activated_at timestamptz not null,
  primary key (focus_id, skill)
);
create index skill_activations_skill on animus.skill_activations (skill, activated_at desc);

-- Copies the ledger text, so that it outlives retention.
create table animus.skill_provenance (
  id           bigint generated always as identity primary key,
  skill        text not null,
  version      text not null,
  work_item_id uuid,
  ledger_seq   int,
  entry_type   text,
  content      text not null,
  created_at   timestamptz not null
);
