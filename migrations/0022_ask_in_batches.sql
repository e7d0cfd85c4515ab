-- Turns that are asked through the batch API of a provider. docs/batch.md has the states and what a crash leaves.

-- Asks each turn in a batch (true) or live (false); null: as the faculty says.
alter table animus.work_items add column batch boolean;

create table animus.batches (
  id                  uuid primary key,
  provider            text not null,
  path                text not null,
  model               text not null,
  headers             jsonb not null default '{}',
  state               text not null check (state in ('submitting', 'submitted', 'ended')),
  ended_as            text check (ended_as in ('collected', 'not_run', 'refused', 'lost')),
  requests            int not null check (requests >= 1),
  provider_id         text,
  problem             text,
  created_at          timestamptz not null,
  -- From here on a submit that was not confirmed is looked for.
  unclear_at          timestamptz not null,
  confirmed_at        timestamptz,
  polled_at           timestamptz,
  cancel_requested_at timestamptz,
  ended_at            timestamptz,
  unique (provider, provider_id),
  constraint submitted_has_id check (state <> 'submitted' or provider_id is not null),
  constraint ended_says_how check ((state = 'ended') = (ended_as is not null) and (state = 'ended') = (ended_at is not null))
) with (fillfactor = 80);
create index batches_open on animus.batches (provider, created_at) where state <> 'ended';
create index batches_ended on animus.batches (ended_at) where state = 'ended';

create table animus.batch_requests (
  id           uuid primary key,  -- custom_id at the provider
  work_item_id uuid not null references animus.work_items (id) on delete cascade,
  focus_id     uuid not null,
  turn         int not null,
  provider     text not null,
  path         text not null,
  model        text not null,
  headers      jsonb not null default '{}',
  body         text,  -- until the provider has it
  state        text not null check (state in ('waiting', 'sent', 'answered', 'recorded', 'failed', 'withdrawn')),
  batch_id     uuid references animus.batches (id) on delete set null,
  answer       text,  -- until it is recorded
  created_at   timestamptz not null,
  ready_at     timestamptz not null,
  ended_at     timestamptz,
  foreign key (focus_id, turn) references animus.turns (focus_id, turn) on delete cascade,
  constraint waiting_has_body check (state <> 'waiting' or body is not null),
  constraint answered_has_answer check ((state = 'answered') = (answer is not null)),
  constraint ended_has_time check ((state in ('recorded', 'failed', 'withdrawn')) = (ended_at is not null))
) with (fillfactor = 80);
-- A turn has at most one request under way.
create unique index batch_requests_under_way on animus.batch_requests (focus_id, turn) where state in ('waiting', 'sent', 'answered');
create index batch_requests_turn on animus.batch_requests (focus_id, turn);
create index batch_requests_outbox on animus.batch_requests (provider, ready_at) where state = 'waiting';
create index batch_requests_batch on animus.batch_requests (batch_id) where batch_id is not null;
create index batch_requests_item on animus.batch_requests (work_item_id);

-- Which daemon polls a provider, and until when.
create table animus.batch_pollers (
  provider  text primary key,
  daemon_id uuid not null,
  token     bigint not null,
  until     timestamptz not null
) with (fillfactor = 50);
