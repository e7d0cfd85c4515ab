-- Decisions of people about single calls: what a wait asks for, the input that a call runs with, and lasting grants.

alter table animus.tool_calls
  add column final_input json,    -- with what a hook or a person changed; null: the call runs with `input`, as the model wrote it
  add column grant_id    bigint;  -- the grant that let it run without a person, if one did

-- What a person is asked to decide; null for every other wait.
alter table animus.waits
  add column subject      text,
  add column request      json,   -- the exact thing to be decided, such as {"tool", "input", "reason"}
  add column request_hash bytea,  -- what a decision is bound to
  add column focus_id     uuid,   -- of the call that waits
  add column turn         int,
  add constraint asked_whole check (num_nonnulls(subject, request, request_hash) in (0, 3));
create index waits_asked on animus.waits (created_at, work_item_id) where resolved_at is null and subject is not null;

-- What operators allow in advance: it turns `ask` into `auto` and nothing else. Exactly one of pattern and request_hash is given. No foreign key to
-- the item: a grant outlives it, as a record.
create table animus.grants (
  id           bigint generated always as identity primary key,
  scope        text not null check (scope in ('item', 'faculty')),
  work_item_id uuid,
  faculty      text not null,
  tool         text not null,
  pattern      text,   -- of the input, in the form of [faculty.permissions]
  request_hash bytea,  -- of one exact call
  note         text not null default '',
  granted_by   text not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  revoked_at   timestamptz,
  revoked_by   text,
  constraint grants_item_named check ((scope = 'item') = (work_item_id is not null)),
  constraint grants_one_match check (num_nonnulls(pattern, request_hash) = 1)
);
create index grants_of_faculty on animus.grants (faculty, tool) where revoked_at is null;
