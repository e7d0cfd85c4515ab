-- Decisions become a chain per work item (functions/18_decisions.sql): each row has a number and a hash over its own fields and the hash of
-- the row before. The columns stay nullable: rows without them are chained when the functions are applied, and functions of the previous
-- version insert rows until then.
alter table animus.decisions
  add column target          text,   -- of a decision about no work item: what it is about. A faculty, or * for all
  add column subject_digest  bytea,  -- what exactly was decided, such as a tool call with its input
  add column work_digest     bytea,  -- the work item as it was then
  add column note_digest     bytea,
  add column salt            uuid,   -- makes the digests of note and work item impossible to guess; null once they were erased
  add column seq             int,
  add column previous_hash   bytea,
  add column hash            bytea;

-- One chain per work item, and one per target. They also find the decisions of an item.
create unique index decisions_chain on animus.decisions (work_item_id, seq);
create unique index decisions_target_chain on animus.decisions (target, seq) where work_item_id is null;
create index decisions_time on animus.decisions (created_at, id);
drop index animus.decisions_item;

-- What remains of a deleted work item: who submitted it, and a digest of it. No index but the key, whose ids sort by time.
create table animus.deleted_work (
  id           uuid primary key,
  faculty      text not null,
  submitted_by text,
  state        text not null,
  created_at   timestamptz not null,
  resolved_at  timestamptz,
  salt         uuid not null,
  work_digest  bytea not null,
  deleted_by   text not null,
  deleted_at   timestamptz not null
);
